// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/checkpoint/contract_row.h"

#include <algorithm>

#include <QBoxLayout>
#include <QPainter>

#include "ui/models/text.h"
#include "ui/widgets/badge.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/state_icon.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::bytesText;
using models::qt;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr std::size_t kMostTypes = 4;
// Narrower, the counts stand below the recipe.
constexpr int kOneLineFrom = 760;

QString contractText(const QString& state, std::int64_t count) {
    const QString number = models::countText(count);
    if (state == QLatin1String("matched"))
        return ContractRow::tr("Matched %1").arg(number);
    if (state == QLatin1String("missing"))
        return ContractRow::tr("Missing %1").arg(number);
    return state == QLatin1String("ignored") ? ContractRow::tr("Ignored %1").arg(number)
                                             : ContractRow::tr("Unexpected %1").arg(number);
}

}  // namespace

// Bytes by type, largest first, without gaps.
class DtypeBar : public QWidget {
public:
    DtypeBar(const widgets::Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
        setFixedHeight(theme.px(10));
        connect(&theme_, &widgets::Theme::changed, this, qOverload<>(&QWidget::update));
    }
    void setParts(std::vector<protocol::Named> parts) {
        parts_ = std::move(parts);
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        std::int64_t whole = 0;
        for (const protocol::Named& part : parts_)
            whole += part.value;
        double x = 0;
        for (std::size_t i = 0; i < parts_.size() && whole > 0; ++i) {
            const double wide = double(parts_[i].value) / double(whole) * width();
            painter.fillRect(QRectF(x, 0, wide, height()), theme_.seriesArea(int(i) + 1));
            x += wide;
        }
    }

private:
    const widgets::Theme& theme_;
    std::vector<protocol::Named> parts_;
};

ContractRow::ContractRow(const widgets::Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(8));
    column->setSpacing(theme.px(6));
    first_ = new QBoxLayout(QBoxLayout::LeftToRight);
    first_->setSpacing(theme.px(6));
    column->addLayout(first_);
    auto* title = new QHBoxLayout;
    title->setSpacing(theme.px(8));
    first_->addLayout(title, 1);
    recipe_ = new widgets::TextLabel(theme, TextRole::Small, Token::T2, this);
    recipe_->setElide(Qt::ElideMiddle);
    title->addWidget(recipe_);
    badge_ = new widgets::Badge(theme, this);
    title->addWidget(badge_);
    title->addStretch(1);
    counts_ = new QWidget(this);
    auto* counts = new QHBoxLayout(counts_);
    counts->setContentsMargins(0, 0, 0, 0);
    counts->setSpacing(theme.px(6));
    for (const char* state : {"matched", "missing", "unexpected", "ignored"})
        addPart(counts_, QString::fromLatin1(state));
    first_->addWidget(counts_, 0, Qt::AlignLeft);
    bar_ = new DtypeBar(theme, this);
    column->addWidget(bar_);
    auto* last = new QHBoxLayout;
    column->addLayout(last);
    legend_ = new widgets::Legend(theme, this);
    last->addWidget(legend_);
    last->addStretch(1);
    parameters_ = new widgets::TextLabel(theme, TextRole::Axis, Token::T2, this);
    last->addWidget(parameters_);
}

void ContractRow::addPart(QWidget* box, const QString& state) {
    Part part;
    part.state = state;
    part.icon = new widgets::StateIcon(theme_, 14, box);
    part.chip = new widgets::Chip(theme_, {}, box);
    part.chip->setCheckable(true);
    // The list decides whether it is on: it is asked for, and says when it is there.
    connect(part.chip, &QAbstractButton::clicked, this, [this, state, chip = part.chip] {
        chip->setChecked(!chip->isChecked());
        emit contractChosen(state);
    });
    box->layout()->addWidget(part.icon);
    box->layout()->addWidget(part.chip);
    parts_.push_back(part);
}

void ContractRow::setChosen(const QString& state) {
    for (const Part& part : parts_)
        part.chip->setChecked(part.state == state);
}

void ContractRow::resizeEvent(QResizeEvent*) {
    first_->setDirection(width() < theme_.px(kOneLineFrom) ? QBoxLayout::TopToBottom
                                                           : QBoxLayout::LeftToRight);
}

void ContractRow::setCensus(const protocol::Census& census, const QString& parameters) {
    const bool unknown = census.recipe.empty();
    recipe_->setText(unknown ? tr("No recipe, so no contract")
                             : tr("Contract of recipe %1").arg(qt(census.recipe)));
    counts_->setVisible(!unknown);
    const bool broken = census.contract.missing > 0 || census.contract.unexpected > 0;
    badge_->setBadge(unknown  ? QString()
                     : broken ? tr("broken")
                              : tr("whole"),
                     broken ? State::Failed : State::Passed);
    const std::int64_t counts[] = {census.contract.matched, census.contract.missing,
                                   census.contract.unexpected, census.contract.ignored};
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const bool wrong = (i == 1 || i == 2) && counts[i] > 0;
        parts_[i].icon->setState(wrong ? State::Failed : i == 3 ? State::Note : State::Passed);
        parts_[i].chip->setText(contractText(parts_[i].state, counts[i]));
        parts_[i].chip->setEnabled(counts[i] > 0);
        parts_[i].chip->setToolTip(counts[i] > 0 ? tr("Show these tensors alone, or all again")
                                                 : tr("There are none"));
        parts_[i].chip->updateGeometry();
    }
    std::vector<protocol::Named> types = census.bytesByDtype;
    std::sort(types.begin(), types.end(),
              [](const auto& a, const auto& b) { return a.value > b.value; });
    bar_->setParts(types);
    std::vector<widgets::LegendEntry> entries;
    for (std::size_t i = 0; i < std::min(types.size(), kMostTypes); ++i)
        entries.push_back({qt(types[i].name) + QLatin1Char(' ') + bytesText(types[i].value),
                           int(i) + 1, false, false});
    legend_->setEntries(entries);
    parameters_->setText(parameters);
}

}  // namespace fl::panels
