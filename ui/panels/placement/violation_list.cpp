// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/violation_list.h"

#include <utility>

#include <QBoxLayout>
#include <QRegularExpression>

#include "ui/models/text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/state_icon.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::qt;
using widgets::State;
using widgets::TextLabel;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr std::size_t kMostChips = 6;

}  // namespace

std::vector<int> legalValues(const QString& expected) {
    static const QRegularExpression kList(QStringLiteral("^\\d+((, | or )\\d+)*$"));
    static const QRegularExpression kNumber(QStringLiteral("\\d+"));
    std::vector<int> values;
    if (!kList.match(expected).hasMatch())
        return values;
    auto numbers = kNumber.globalMatch(expected);
    while (numbers.hasNext())
        values.push_back(numbers.next().captured().toInt());
    return values;
}

ViolationList::ViolationList(const widgets::Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      rows_(new QVBoxLayout(this)) {
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setSpacing(0);
}

void ViolationList::setFindings(const std::vector<fl::Finding>& findings) {
    std::vector<std::string> texts;
    for (const fl::Finding& finding : findings)
        texts.push_back(fl::text(finding));
    if (texts == shown_ && rows_->count() > 0)
        return;
    shown_ = std::move(texts);
    while (QLayoutItem* item = rows_->takeAt(0)) {
        // A chip of the row may be what was clicked just now.
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    for (const fl::Finding& finding : findings) {
        rows_->addWidget(makeRow(finding));
        rows_->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, this));
    }
    rows_->addStretch(1);
}

QWidget* ViolationList::makeRow(const fl::Finding& finding) {
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(theme_.px(12), theme_.px(8), theme_.px(12), theme_.px(9));
    line->setSpacing(theme_.px(8));
    auto* icon = new widgets::StateIcon(theme_, 16, row);
    icon->setState(finding.severity == fl::Severity::Error     ? State::Failed
                   : finding.severity == fl::Severity::Warning ? State::Warning
                                                               : State::Note);
    line->addWidget(icon, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(theme_.px(3));
    line->addLayout(column, 1);
    auto* message = new TextLabel(theme_, TextRole::Strong, Token::T1, row);
    message->setWordWrap(true);
    message->setText(models::shown(finding.message));
    column->addWidget(message);
    const std::vector<int> values = legalValues(qt(finding.expected));
    const QString rest = values.empty() ? models::shown(finding.remedy) : QString();
    if (!rest.isEmpty()) {
        auto* detail = new TextLabel(theme_, TextRole::Small, Token::T2, row);
        detail->setWordWrap(true);
        detail->setText(rest);
        column->addWidget(detail);
    }
    if (!values.empty())
        column->addWidget(makeChips(qt(finding.key), values));
    return row;
}

QWidget* ViolationList::makeChips(const QString& key, const std::vector<int>& values) {
    auto* line = new QWidget(this);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, theme_.px(2), 0, 0);
    row->setSpacing(theme_.px(4));
    auto* word = new TextLabel(theme_, TextRole::Small, Token::T3, line);
    word->setText(tr("Legal"));
    row->addWidget(word);
    for (std::size_t i = 0; i < values.size() && i < kMostChips; ++i) {
        const int value = values[i];
        const QString text = i == 0 ? key.toUpper() + QLatin1Char(' ') + QString::number(value)
                                    : QString::number(value);
        auto* chip = new widgets::Chip(theme_, text, line);
        chip->setAccessibleName(tr("Set %1 to %2").arg(key.toUpper()).arg(value));
        connect(chip, &QAbstractButton::clicked, this,
                [this, key, value] { emit valueChosen(key, value); });
        row->addWidget(chip);
    }
    row->addStretch(1);
    return line;
}

}  // namespace fl::panels
