// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/checkpoint/histogram_view.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "ui/models/text.h"

namespace fl::panels {

using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kLeft = 44;
constexpr int kRight = 12;
constexpr int kTop = 8;
constexpr int kBottom = 34;

QString powerText(int decade) {
    const QString digits[] = {
        QStringLiteral("1"),   QStringLiteral("10"),   QStringLiteral("100"),
        QStringLiteral("1 k"), QStringLiteral("10 k"), QStringLiteral("100 k"),
        QStringLiteral("1 M"), QStringLiteral("10 M"), QStringLiteral("100 M"),
        QStringLiteral("1 G"), QStringLiteral("10 G"), QStringLiteral("100 G")};
    return digits[std::clamp(decade, 0, int(std::size(digits)) - 1)];
}

}  // namespace

QString valueText(double value) {
    QString text = QString::number(value, 'g', 4);
    return text.replace(QLatin1Char('-'), QStringLiteral("−"));
}

HistogramView::HistogramView(const widgets::Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    setAccessibleName(tr("Histogram of the chosen tensor"));
    connect(&theme_, &widgets::Theme::changed, this, qOverload<>(&QWidget::update));
}

void HistogramView::setCounts(std::vector<std::int64_t> counts, double least, double most) {
    counts_ = std::move(counts);
    least_ = least;
    most_ = most;
    setAccessibleDescription(tr("Values from %1 to %2").arg(valueText(least), valueText(most)));
    update();
}

void HistogramView::clear() {
    counts_.clear();
    update();
}

QSize HistogramView::sizeHint() const {
    return {theme_.px(260), theme_.px(150)};
}

QSize HistogramView::minimumSizeHint() const {
    return {theme_.px(160), theme_.px(110)};
}

QRectF HistogramView::area() const {
    return QRectF(rect()).adjusted(theme_.px(kLeft), theme_.px(kTop), -theme_.px(kRight),
                                   -theme_.px(kBottom));
}

void HistogramView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(Token::Bg1));
    if (counts_.empty())
        return;
    const std::int64_t most = std::max<std::int64_t>(1, *std::ranges::max_element(counts_));
    const double decades = std::max(1.0, std::ceil(std::log10(double(most) + 1)));
    paintAxis(painter, decades);
    const QRectF box = area();
    const double step = box.width() / double(counts_.size());
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] == 0)
            continue;
        // A single value has a bar that is seen.
        const double high =
            std::max(2.0, box.height() * std::log10(double(counts_[i]) + 1) / decades);
        const double left = std::round(box.left() + double(i) * step);
        const double right = std::round(box.left() + double(i + 1) * step);
        painter.fillRect(QRectF(left, box.bottom() - high, std::max(1.0, right - left - 1), high),
                         theme_.seriesArea(1));
    }
}

void HistogramView::paintAxis(QPainter& painter, double decades) const {
    const QRectF box = area();
    painter.setFont(theme_.font(TextRole::Axis));
    const int every = decades > 5 ? 2 : 1;
    for (int decade = 0; decade <= int(decades); decade += every) {
        const double y = std::round(box.bottom() - box.height() * decade / decades) + 0.5;
        painter.setPen(theme_.color(decade == 0 ? Token::Axis : Token::Grid));
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
        painter.setPen(theme_.color(Token::T3));
        painter.drawText(QRectF(0, y - 8, box.left() - theme_.px(6), 16),
                         Qt::AlignRight | Qt::AlignVCenter, powerText(decade));
    }
    const QRectF below(box.left(), box.bottom() + 3, box.width(), 15);
    painter.drawText(below, Qt::AlignLeft, valueText(least_));
    painter.drawText(below, Qt::AlignRight, valueText(most_));
    painter.drawText(below.translated(0, 15), Qt::AlignHCenter, tr("value, as stored"));
}

}  // namespace fl::panels
