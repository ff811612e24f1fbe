// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the rows.
#include "ui/widgets/key_value_list.h"

#include <algorithm>

#include <QPainter>
#include <QStringList>

#include "ui/widgets/icons.h"
#include "ui/widgets/paint.h"

namespace fl::widgets {

KeyValueList::KeyValueList(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void KeyValueList::setRows(std::vector<KeyValue> rows) {
    rows_ = std::move(rows);
    QStringList words;
    for (const KeyValue& row : rows_) {
        words << row.key + QLatin1Char(' ') + row.value;
    }
    setAccessibleName(words.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

QSize KeyValueList::sizeHint() const {
    const QFontMetrics metrics(theme_.font(TextRole::Small));
    int width = 0;
    for (const KeyValue& row : rows_) {
        width = std::max(width, metrics.horizontalAdvance(row.key) +
                                    metrics.horizontalAdvance(row.value) + theme_.px(36));
    }
    return {width, int(rows_.size()) * theme_.px(18)};
}

QSize KeyValueList::minimumSizeHint() const {
    return {theme_.px(120), sizeHint().height()};
}

void KeyValueList::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(theme_.font(TextRole::Small));
    const int height = theme_.px(18);
    int top = 0;
    for (const KeyValue& row : rows_) {
        const QRectF line(0, top, width(), height);
        const int key = paintLine(painter, line, row.key, theme_.color(Token::T3),
                                  Qt::AlignLeft | Qt::AlignVCenter);
        const bool marked = row.state != State::Idle && row.state != State::Note;
        const QColor color = theme_.color(marked ? stateColor(row.state) : Token::T1);
        const QRectF place = line.adjusted(key + theme_.px(12), 0, 0, 0);
        const QString shown = painter.fontMetrics().elidedText(
            row.value, Qt::ElideMiddle, int(place.width()) - (marked ? theme_.px(16) : 0));
        const int value =
            paintLine(painter, place, shown, color, Qt::AlignRight | Qt::AlignVCenter);
        if (marked) {
            const int icon = theme_.px(12);
            paintState(painter,
                       QRectF(width() - value - icon - theme_.px(4), top + (height - icon) / 2.0,
                              icon, icon),
                       row.state, theme_);
        }
        top += height;
    }
}

}  // namespace fl::widgets
