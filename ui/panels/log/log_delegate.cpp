// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/log/log_delegate.h"

#include <algorithm>

#include <QPainter>

#include "ui/models/log_model.h"
#include "ui/models/text.h"

namespace fl::panels {

using models::LogModel;
using widgets::TextRole;
using widgets::Token;

namespace {

// Longer categories take the room they need; shorter ones line up.
constexpr int kCategoryColumns = 4;
constexpr int kSourceColumns = 3;

}  // namespace

LogDelegate::LogDelegate(const widgets::Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent),
      theme_(theme) {}

QSize LogDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {theme_.px(200), theme_.lineHeight(TextRole::Log)};
}

void LogDelegate::paint(QPainter* painter,
                        const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    painter->save();
    const QString level = index.data(LogModel::LevelRole).toString();
    const bool error = level == QLatin1String("error");
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, theme_.color(Token::AccentBg));
    else if (error)
        painter->fillRect(option.rect, theme_.color(Token::ErrBg));
    painter->setFont(theme_.font(TextRole::Log));
    const int column = painter->fontMetrics().horizontalAdvance(QLatin1Char('0'));
    QRect rest = option.rect.adjusted(theme_.px(12), 0, -theme_.px(12), 0);
    const auto write = [&](const QString& text, Token color, int columns) {
        painter->setPen(theme_.color(color));
        painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, text);
        rest.setLeft(rest.left() + column * (std::max(columns, int(text.size())) + 1));
    };
    // Minutes, seconds and milliseconds; the tool tip has the hour.
    write(models::clockText(index.data(LogModel::TimeRole).toDouble()).mid(3), Token::T3, 9);
    write(index.data(LogModel::SourceRole).toString(), Token::Accent, kSourceColumns);
    write(index.data(LogModel::CategoryRole).toString(), Token::T3, kCategoryColumns);
    const Token color = error                               ? Token::Err
                        : level == QLatin1String("warning") ? Token::Warn
                        : level == QLatin1String("debug")   ? Token::T3
                                                            : Token::T2;
    painter->setPen(theme_.color(color));
    const QString text = painter->fontMetrics().elidedText(
        index.data(LogModel::TextRole).toString().section(QLatin1Char('\n'), 0, 0), Qt::ElideRight,
        rest.width());
    painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, text);
    painter->restore();
}

}  // namespace fl::panels
