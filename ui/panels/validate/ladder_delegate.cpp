// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/validate/ladder_delegate.h"

#include <QPainter>

#include "ui/models/validate_model.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/state.h"

namespace fl::panels {

using models::ValidateModel;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {

State stateOf(const QString& verdict) {
    if (verdict == QLatin1String("pass"))
        return State::Passed;
    return verdict == QLatin1String("fail") ? State::Failed : State::Idle;
}

}  // namespace

// Room for a failure, which is written stronger, whether or not it is one.
QSize LadderDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QFontMetrics strong(theme().font(TextRole::SmallStrong));
    const int text = strong.horizontalAdvance(index.data().toString());
    return {text + theme().px(26), TableDelegate::sizeHint(option, index).height()};
}

void LadderDelegate::paintContent(QPainter& painter,
                                  const QRect& box,
                                  const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const {
    const State state = stateOf(index.data(ValidateModel::VerdictRole).toString());
    const bool failed = state == State::Failed;
    QRect text = box;
    const auto column = index.column();
    if (column == ValidateModel::NameColumn) {
        const int icon = theme().px(14);
        const QRectF place(text.left(), text.top() + (text.height() - icon) / 2, icon, icon);
        widgets::paintIcon(painter, place, widgets::stateIcon(state),
                           theme().color(widgets::stateColor(state)));
        text.setLeft(text.left() + icon + theme().px(8));
    }
    painter.setFont(theme().font(failed ? TextRole::SmallStrong : TextRole::Small));
    painter.setPen(theme().color(failed && column == ValidateModel::ErrorColumn ? Token::Err
                                 : state == State::Idle || column == ValidateModel::LimitColumn
                                     ? Token::T3
                                     : Token::T1));
    const QString words =
        painter.fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, text.width());
    painter.drawText(text,
                     int(column == ValidateModel::NameColumn ? Qt::AlignLeft : Qt::AlignRight) |
                         Qt::AlignVCenter | Qt::TextSingleLine,
                     words);
    Q_UNUSED(option)
}

QColor LadderDelegate::ground(const QModelIndex& index) const {
    return index.data(ValidateModel::FirstFailureRole).toBool() ? theme().color(Token::ErrBg)
                                                                : QColor();
}

}  // namespace fl::panels
