// SPDX-License-Identifier: GPL-3.0-or-later
// Draws panel headers and legends.
#include "ui/widgets/panel_header.h"

#include <algorithm>
#include <cmath>

#include <QHBoxLayout>
#include <QPainter>

#include "ui/widgets/paint.h"
#include "ui/widgets/text_label.h"

namespace fl::widgets {

Legend::Legend(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void Legend::setEntries(std::vector<LegendEntry> entries) {
    entries_ = std::move(entries);
    setVisible(!entries_.empty());
    updateGeometry();
    update();
}

QSize Legend::sizeHint() const {
    const QFontMetrics metrics(theme_.font(TextRole::Axis));
    int width = 0;
    for (const LegendEntry& entry : entries_) {
        width += theme_.px(entry.line ? 14 : 9) + theme_.px(5) +
                 metrics.horizontalAdvance(entry.name) + theme_.px(12);
    }
    return {width, theme_.px(16)};
}

QSize Legend::minimumSizeHint() const {
    return {0, theme_.px(16)};
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(theme_.font(TextRole::Axis));
    // Too narrow for all: the first ones are shown whole, none is cut.
    double x = std::max(0, width() - sizeHint().width());
    for (const LegendEntry& entry : entries_) {
        const QColor color = entry.series < 0 ? theme_.color(Token::Bg3)
                                              : (entry.line ? theme_.series(entry.series)
                                                            : theme_.seriesArea(entry.series));
        const int mark = theme_.px(entry.line ? 14 : 9);
        const int advance = painter.fontMetrics().horizontalAdvance(entry.name);
        if (x + mark + theme_.px(5) + advance > width()) {
            return;
        }
        const double middle = height() / 2.0;
        if (entry.line) {
            QPen pen(color, 2, entry.dashed ? Qt::CustomDashLine : Qt::SolidLine, Qt::FlatCap);
            if (entry.dashed) {
                pen.setDashPattern({2, 1.5});
            }
            painter.setPen(pen);
            painter.drawLine(QPointF(x, middle), QPointF(x + mark, middle));
        } else {
            paintBox(painter, QRectF(x, std::floor(middle - mark / 2.0), mark, mark), color,
                     entry.series < 0 ? theme_.color(Token::Line2) : QColor(), 2);
        }
        x += mark + theme_.px(5);
        painter.setPen(theme_.color(Token::T2));
        painter.drawText(QRectF(x, 0, advance + 1, height()), Qt::AlignVCenter, entry.name);
        x += advance + theme_.px(12);
    }
}

PanelHeader::PanelHeader(const Theme& theme, const QString& title, QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    title_ = new TextLabel(theme, TextRole::Strong, Token::T1, this);
    subject_ = new TextLabel(theme, TextRole::Small, Token::T3, this);
    subject_->setElide(Qt::ElideMiddle);
    legend_ = new Legend(theme, this);
    legend_->hide();
    left_ = new QHBoxLayout;
    right_ = new QHBoxLayout;
    left_->setSpacing(theme.px(12));
    right_->setSpacing(theme.px(8));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(theme.px(12), 0, theme.px(12), 1);
    row->setSpacing(theme.px(8));
    row->addWidget(title_);
    row->addWidget(subject_);
    row->addLayout(left_);
    row->addStretch(1);
    row->addWidget(legend_, 100);
    row->addLayout(right_);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setTitle(title);
    setSubject({});
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void PanelHeader::setTitle(const QString& title) {
    title_->setText(title);
}

void PanelHeader::setSubject(const QString& subject) {
    subject_->setText(subject);
    subject_->setVisible(!subject.isEmpty());
}

void PanelHeader::setLegend(std::vector<LegendEntry> entries) {
    legend_->setEntries(std::move(entries));
}

void PanelHeader::addLeft(QWidget* widget) {
    left_->addWidget(widget);
}

void PanelHeader::addRight(QWidget* widget) {
    right_->addWidget(widget);
}

QSize PanelHeader::sizeHint() const {
    return {QWidget::sizeHint().width(), theme_.px(32)};
}

void PanelHeader::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(Token::Bg1));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme_.color(Token::Line));
}

}  // namespace fl::widgets
