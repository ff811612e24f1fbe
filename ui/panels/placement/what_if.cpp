// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/what_if.h"

#include <algorithm>
#include <set>

#include <QBoxLayout>
#include <QScrollArea>
#include <QSpinBox>

#include "ui/models/plan_model.h"
#include "ui/models/text.h"
#include "ui/panels/placement/violation_list.h"
#include "ui/widgets/badge.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/what_if_row.h"

namespace fl::panels {

using models::bytesText;
using widgets::Button;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kQuietMilliseconds = 150;
constexpr std::size_t kMostChoices = 6;
constexpr int kMostContext = 10'000'000;
constexpr int kMostSequences = 4096;
enum Number { Tp, Pp, Ep, Dp };

}  // namespace

WhatIf::WhatIf(const widgets::Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    soon_.setSingleShot(true);
    soon_.setInterval(kQuietMilliseconds);
    connect(&soon_, &QTimer::timeout, this, [this] { emit proposed(settings()); });
    buildUi();
}

void WhatIf::buildUi() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* header = new widgets::PanelHeader(theme_, tr("What if"), this);
    badge_ = new widgets::Badge(theme_, this);
    header->addRight(badge_);
    column->addWidget(header);
    column->addWidget(buildNumbers());
    verdict_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T2, this);
    verdict_->setWordWrap(true);
    verdict_->setContentsMargins(theme_.px(12), 0, theme_.px(12), theme_.px(8));
    column->addWidget(verdict_);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, this));
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    violations_ = new ViolationList(theme_, scroll);
    connect(violations_, &ViolationList::valueChosen, this, &WhatIf::setNumber);
    scroll->setWidget(violations_);
    column->addWidget(scroll, 1);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, this));
    column->addWidget(buildFooter());
}

QWidget* WhatIf::buildNumbers() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(theme_.px(12), theme_.px(10), theme_.px(12), theme_.px(8));
    column->setSpacing(theme_.px(6));
    const QString letters[] = {tr("TP"), tr("PP"), tr("EP"), tr("DP")};
    for (int i = 0; i < 4; ++i) {
        rows_[i] = new widgets::WhatIfRow(theme_, letters[i], box);
        connect(rows_[i], &widgets::WhatIfRow::valueChosen, this, [this, i] {
            // Stages that were dragged belong to the old number of stages.
            if (i == Pp)
                stageLayers_.clear();
            change();
        });
        column->addWidget(rows_[i]);
    }
    context_ = addField(box, tr("Longest context"), kMostContext);
    sequences_ = addField(box, tr("Sequences at once"), kMostSequences);
    return box;
}

QSpinBox* WhatIf::addField(QWidget* box, const QString& name, int most) {
    auto* row = new QHBoxLayout;
    auto* label = new widgets::TextLabel(theme_, TextRole::Base, Token::T2, box);
    label->setText(name);
    row->addWidget(label, 1);
    auto* field = new QSpinBox(box);
    field->setRange(1, most);
    field->setGroupSeparatorShown(true);
    field->setAlignment(Qt::AlignRight);
    field->setFixedWidth(theme_.px(104));
    field->setAccessibleName(name);
    connect(field, &QSpinBox::valueChanged, this, &WhatIf::change);
    row->addWidget(field);
    box->layout()->addItem(row);
    return field;
}

QWidget* WhatIf::buildFooter() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(theme_.px(12), theme_.px(8), theme_.px(12), theme_.px(8));
    use_ =
        new Button(theme_, tr("Use this plan"), Button::Kind::Normal, Button::Size::Regular, box);
    connect(use_, &Button::clicked, this, &WhatIf::use);
    row->addWidget(use_);
    row->addStretch(1);
    discard_ = new Button(theme_, tr("Discard"), Button::Kind::Quiet, Button::Size::Regular, box);
    connect(discard_, &Button::clicked, this, [this] {
        setPlan(plan_, base_, cards_);
        emit discarded();
    });
    row->addWidget(discard_);
    return box;
}

void WhatIf::setPlan(const protocol::PlanInfo& plan,
                     const protocol::JobSettings& settings,
                     int cards) {
    plan_ = plan;
    base_ = settings;
    cards_ = cards;
    hasAnswer_ = false;
    changed_ = false;
    confirming_ = false;
    soon_.stop();
    stageLayers_ = settings.stageLayers;
    const QSignalBlocker quietContext(context_);
    const QSignalBlocker quietSequences(sequences_);
    context_->setValue(int(std::min<std::int64_t>(plan.maxContext, kMostContext)));
    sequences_->setValue(plan.maxSequences);
    rows_[Tp]->setValue(plan.mesh.tp);
    rows_[Pp]->setValue(plan.mesh.pp);
    rows_[Ep]->setValue(plan.mesh.ep);
    rows_[Dp]->setValue(plan.mesh.dp);
    fillRows();
    showVerdict();
}

// Legal values first; powers of two that are not legal stay in the row, so that one can ask why.
std::vector<int> WhatIf::choices(const std::vector<int>& legal, int current) const {
    std::set<int> values(legal.begin(), legal.end());
    values.insert(current);
    for (int value = 1; value <= cards_ && values.size() < kMostChoices; value *= 2)
        values.insert(value);
    std::vector<int> all(values.begin(), values.end());
    while (all.size() > kMostChoices) {
        const auto last = all.back() == current ? std::prev(all.end(), 2) : std::prev(all.end());
        all.erase(last);
    }
    return all;
}

void WhatIf::fillRows() {
    const protocol::PlanInfo& from = hasAnswer_ ? answer_ : plan_;
    const std::vector<int>* legal[] = {&from.legalTp, &from.legalPp, &from.legalEp, &from.legalDp};
    for (int i = 0; i < 4; ++i) {
        const int current = std::max(1, rows_[i]->value());
        rows_[i]->setValues(choices(*legal[i], current), *legal[i]);
        rows_[i]->setValue(current);
    }
}

protocol::JobSettings WhatIf::settings() const {
    protocol::JobSettings settings = base_;
    settings.tp = rows_[Tp]->value();
    settings.pp = rows_[Pp]->value();
    settings.ep = rows_[Ep]->value();
    settings.dp = rows_[Dp]->value();
    settings.maxContext = context_->value();
    settings.maxSequences = sequences_->value();
    settings.stageLayers = stageLayers_;
    return settings;
}

void WhatIf::setStageLayers(const std::vector<int>& layers) {
    stageLayers_ = layers;
    change();
}

void WhatIf::setNumber(const QString& key, int value) {
    const QString keys[] = {QStringLiteral("tp"), QStringLiteral("pp"), QStringLiteral("ep"),
                            QStringLiteral("dp")};
    for (int i = 0; i < 4; ++i) {
        if (keys[i] == key)
            rows_[i]->setValue(value);
    }
    if (key == QLatin1String("max_context"))
        context_->setValue(value);
    change();
}

void WhatIf::change() {
    changed_ = true;
    confirming_ = false;
    hasAnswer_ = false;
    showVerdict();
    soon_.start();
}

void WhatIf::setAnswer(const protocol::PlanInfo* answer) {
    hasAnswer_ = answer != nullptr;
    if (answer != nullptr)
        answer_ = *answer;
    fillRows();
    showVerdict();
}

void WhatIf::setFailure(const QString& reason) {
    hasAnswer_ = false;
    showVerdict();
    badge_->setBadge({});
    verdict_->setColor(Token::Err);
    verdict_->setText(reason);
}

void WhatIf::setRunning(int ranks) {
    running_ = ranks;
}

void WhatIf::showVerdict() {
    const protocol::PlanInfo& shown = hasAnswer_ ? answer_ : plan_;
    const bool waits = changed_ && !hasAnswer_;
    const bool bad = hasAnswer_ && fl::hasErrors(answer_.violations);
    const auto errors =
        std::count_if(shown.violations.begin(), shown.violations.end(),
                      [](const auto& f) { return f.severity == fl::Severity::Error; });
    badge_->setBadge(errors > 0
                         ? (errors == 1 ? tr("1 violation") : tr("%1 violations").arg(errors))
                         : QString(),
                     State::Failed);
    violations_->setFindings(waits ? std::vector<fl::Finding>() : shown.violations);
    verdict_->setColor(Token::T2);
    std::int64_t peak = 0;
    std::int64_t free = 0;
    for (const protocol::RankInfo& rank : shown.ranks) {
        free = peak == 0 ? rank.capacity - rank.ledger.total
                         : std::min(free, rank.capacity - rank.ledger.total);
        peak = std::max(peak, rank.ledger.total);
    }
    const QString name = models::meshText(shown.mesh);
    if (waits)
        verdict_->setText(tr("Asking…"));
    else if (bad)
        verdict_->setText(
            tr("%1 cannot be placed. The map still shows the plan in use.").arg(name));
    else if (confirming_)
        verdict_->setText(
            tr("This stops the ranks that run now (%1) and loads the model again.").arg(running_));
    else
        verdict_->setText(
            tr("%1: at most %2 a rank, %3 free%4")
                .arg(hasAnswer_ ? name : tr("In use, %1").arg(name), bytesText(peak),
                     bytesText(free),
                     shown.predicted.step > 0
                         ? tr(", a step in %1").arg(models::durationText(shown.predicted.step))
                         : QString()));
    const bool usable = hasAnswer_ && !bad;
    use_->setKind(usable ? Button::Kind::Primary : Button::Kind::Normal);
    use_->setText(confirming_ ? tr("Stop and launch %1").arg(name) : tr("Use this plan"));
    use_->setBlocked(usable ? QString()
                     : bad  ? tr("It breaks a rule")
                            : tr("Change a number first"));
    discard_->setVisible(changed_);
    use_->updateGeometry();
}

// Ranks that run are stopped only after a second click that says so.
void WhatIf::use() {
    if (running_ > 0 && !confirming_) {
        confirming_ = true;
        showVerdict();
        return;
    }
    confirming_ = false;
    emit useRequested(settings());
}

}  // namespace fl::panels
