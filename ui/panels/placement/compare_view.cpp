// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/compare_view.h"

#include <algorithm>

#include <QBoxLayout>
#include <QComboBox>
#include <QHeaderView>
#include <QPainter>
#include <QTableView>

#include "ui/widgets/table_delegate.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::PlanCompareModel;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kValueShare = 22;  // of the width, in percent, of each column but the first

// What is equal steps back; what differs is strong, and says by word and colour whether it is a
// gain.
class CompareDelegate : public widgets::TableDelegate {
public:
    using TableDelegate::TableDelegate;

protected:
    void paintContent(QPainter& painter,
                      const QRect& box,
                      const QStyleOptionViewItem& /*option*/,
                      const QModelIndex& index) const override {
        const bool differs = index.data(PlanCompareModel::DiffersRole).toBool();
        const int judgement = index.data(PlanCompareModel::JudgementRole).toInt();
        const bool change = index.column() == PlanCompareModel::ChangeColumn;
        QString text = index.data().toString();
        if (change && judgement != 0)
            text += judgement > 0 ? QStringLiteral(" ▲") : QStringLiteral(" ▼");
        else if (change && differs && text.isEmpty())
            text = QStringLiteral("≠");
        painter.setFont(theme().font(differs ? TextRole::SmallStrong : TextRole::Small));
        painter.setPen(theme().color(change && judgement > 0   ? Token::Ok
                                     : change && judgement < 0 ? Token::Warn
                                     : differs                 ? Token::T1
                                                               : Token::T3));
        const int side = index.data(Qt::TextAlignmentRole).toInt() & int(Qt::AlignHorizontal_Mask);
        painter.drawText(box, side | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text, Qt::ElideMiddle, box.width()));
    }
};

}  // namespace

CompareView::CompareView(const widgets::Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme.px(6));
    auto* row = new QHBoxLayout;
    row->setContentsMargins(theme.px(12), 0, theme.px(12), 0);
    row->setSpacing(theme.px(8));
    first_ = addCombo(tr("First plan"));
    second_ = addCombo(tr("Second plan"));
    row->addWidget(first_, 1);
    row->addWidget(second_, 1);
    column->addLayout(row);
    verdict_ = new widgets::TextLabel(theme, TextRole::Small, Token::T2, this);
    verdict_->setContentsMargins(theme.px(12), 0, theme.px(12), 0);
    verdict_->setWordWrap(true);
    column->addWidget(verdict_);
    table_ = new QTableView(this);
    table_->setAccessibleName(tr("Two plans compared"));
    table_->setModel(&model_);
    widgets::styleTable(theme, table_);
    table_->setItemDelegate(new CompareDelegate(theme, table_));
    table_->horizontalHeader()->setStretchLastSection(false);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->horizontalHeader()->setSectionResizeMode(PlanCompareModel::PropertyColumn,
                                                     QHeaderView::Stretch);
    table_->horizontalHeader()->setTextElideMode(Qt::ElideMiddle);
    column->addWidget(table_, 1);
}

void CompareView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    for (const int column : {PlanCompareModel::FirstColumn, PlanCompareModel::SecondColumn,
                             PlanCompareModel::ChangeColumn})
        table_->horizontalHeader()->resizeSection(column, width() * kValueShare / 100);
}

QComboBox* CompareView::addCombo(const QString& name) {
    auto* combo = new QComboBox(this);
    combo->setAccessibleName(name);
    combo->setToolTip(name);
    connect(combo, &QComboBox::activated, this, [this] {
        picked_ = true;
        emit chosen();
    });
    return combo;
}

void CompareView::setChoices(const QStringList& names) {
    for (QComboBox* combo : {first_, second_}) {
        const QString before = combo->currentText();
        combo->clear();
        combo->addItems(names);
        const int place = combo->findText(before);
        // Until somebody has picked two, the newest is beside the one in use.
        const int usual = combo == first_ ? 0 : std::min(1, combo->count() - 1);
        combo->setCurrentIndex(picked_ && place >= 0 ? place : usual);
    }
}

void CompareView::choose(const QString& first, const QString& second) {
    picked_ = true;
    first_->setCurrentText(first);
    second_->setCurrentText(second);
    emit chosen();
}

QString CompareView::first() const {
    return first_->currentText();
}

QString CompareView::second() const {
    return second_->currentText();
}

void CompareView::show(const protocol::PlanInfo& first, const protocol::PlanInfo& second) {
    model_.compare(this->first(), first, this->second(), second);
    const int count = model_.differences();
    verdict_->setText(count == 0 ? tr("No difference shown")
                                 : tr("%1 of %2 properties differ; ▲ better, ▼ worse, ≠ other")
                                       .arg(count)
                                       .arg(model_.rowCount()));
}

void CompareView::showNothing(const QString& reason) {
    model_.reset();
    verdict_->setText(reason);
}

}  // namespace fl::panels
