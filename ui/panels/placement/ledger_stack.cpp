// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/ledger_stack.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>

#include "ui/models/ledger.h"
#include "ui/models/text.h"

namespace fl::panels {

using models::bytesIn;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kLabel = 56;
constexpr int kValue = 64;
constexpr int kScale = 98;  // numbers, budget, unit and three lines of legend
constexpr std::size_t kDetailedUpTo = 12;
constexpr double kDetailedRow = 30;
constexpr double kStackedRow = 8;  // a bar of 6.5 and its gap
constexpr double kBlockGap = 6;

widgets::LedgerShape shapeOf(const protocol::LedgerInfo& ledger, std::int64_t whole) {
    widgets::LedgerShape shape;
    const auto parts = models::ledgerParts(ledger);
    for (std::size_t part = 0; part < parts.size(); ++part)
        shape.parts.push_back({static_cast<widgets::LedgerPart>(part), parts[part]});
    shape.capacity = whole;
    return shape;
}

}  // namespace

LedgerStack::LedgerStack(const widgets::Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    setAccessibleName(tr("Ledger of each rank"));
    connect(&theme_, &widgets::Theme::changed, this, qOverload<>(&QWidget::update));
}

void LedgerStack::setRanks(const std::vector<models::RankMemory>& ranks) {
    rows_.clear();
    whole_ = 0;
    budget_ = 0;
    for (const models::RankMemory& rank : ranks) {
        whole_ = std::max({whole_, rank.budget, rank.planned.total, rank.used.total});
        budget_ = budget_ == 0 ? rank.budget : std::min(budget_, rank.budget);
    }
    // The budget line stands inside the picture, not on its edge.
    whole_ = whole_ * 108 / 100;
    unit_ = models::unitOf(whole_);
    QStringList spoken;
    for (const models::RankMemory& rank : ranks) {
        Row row;
        row.rank = rank.rank;
        row.node = rank.node;
        row.planned = shapeOf(rank.planned, whole_);
        row.measured = shapeOf(rank.used, whole_);
        row.isMeasured = rank.measured;
        // What is written beside a bar is the plan; alone it is what was measured.
        row.total = rank.planned.total > 0 ? rank.planned.total : rank.used.total;
        row.used = rank.measured ? rank.used.total : 0;
        row.capacity = rank.budget;
        row.free = rank.budget - row.total;
        spoken << tr("r%1 %2 of %3")
                      .arg(rank.rank)
                      .arg(models::bytesText(row.total), models::bytesText(rank.budget));
        rows_.push_back(std::move(row));
    }
    setAccessibleDescription(spoken.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

void LedgerStack::setSelected(int rank) {
    selected_ = rank;
    update();
}

bool LedgerStack::detailed() const {
    return rows_.size() <= kDetailedUpTo;
}

double LedgerStack::rowHeight() const {
    return detailed() ? theme_.px(kDetailedRow) : kStackedRow * theme_.scale();
}

QSize LedgerStack::sizeHint() const {
    const std::vector<Block> all = blocks();
    const double bottom = all.empty() ? 0 : all.back().top + double(all.back().count) * rowHeight();
    return {theme_.px(300), int(bottom) + theme_.px(kScale)};
}

QSize LedgerStack::minimumSizeHint() const {
    return {theme_.px(230), sizeHint().height()};
}

std::vector<LedgerStack::Block> LedgerStack::blocks() const {
    std::vector<Block> all;
    double top = theme_.px(8);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (all.empty() || rows_[i].node != rows_[all.back().first].node) {
            top += all.empty() ? 0 : kBlockGap;
            all.push_back({i, 0, top});
        }
        ++all.back().count;
        top += rowHeight();
    }
    return all;
}

QRectF LedgerStack::barArea() const {
    const double left = theme_.px(12 + kLabel);
    return {left, 0, std::max(20.0, width() - left - theme_.px(kValue + 12)), double(height())};
}

void LedgerStack::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(Token::Bg1));
    if (rows_.empty())
        return;
    double bottom = 0;
    for (const Block& block : blocks()) {
        paintBlock(painter, block);
        bottom = block.top + double(block.count) * rowHeight();
    }
    paintScale(painter, bottom);
    paintLegend(painter, bottom + theme_.px(52));
}

// Many ranks: thin bars under one name, the fullest rank's numbers beside them.
void LedgerStack::paintBlock(QPainter& painter, const Block& block) const {
    const QRectF area = barArea();
    std::size_t fullest = block.first;
    for (std::size_t i = block.first; i < block.first + block.count; ++i) {
        paintRow(painter, rows_[i], block.top + double(i - block.first) * rowHeight());
        if (rows_[i].total > rows_[fullest].total)
            fullest = i;
    }
    if (detailed())
        return;
    const double middle = block.top + double(block.count) * rowHeight() / 2;
    const QRectF label(theme_.px(12), middle - theme_.px(17), theme_.px(kLabel - 4), theme_.px(17));
    const QRectF value(area.right() + theme_.px(8), label.top(), theme_.px(kValue), label.height());
    const Row& row = rows_[fullest];
    painter.setFont(theme_.font(TextRole::AxisStrong));
    painter.setPen(theme_.color(Token::T1));
    painter.drawText(
        label, Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(row.node, Qt::ElideMiddle, int(label.width())));
    painter.drawText(value, Qt::AlignLeft | Qt::AlignVCenter, bytesIn(row.total, unit_));
    painter.setFont(theme_.font(TextRole::Axis));
    painter.setPen(theme_.color(Token::T3));
    const QString ranks = QStringLiteral("r%1–%2")
                              .arg(rows_[block.first].rank)
                              .arg(rows_[block.first + block.count - 1].rank);
    painter.drawText(label.translated(0, label.height()), Qt::AlignLeft | Qt::AlignVCenter, ranks);
    painter.setPen(theme_.color(row.free < 0 ? Token::Err : Token::T3));
    const QString free = row.free < 0 ? tr("%1 over").arg(bytesIn(-row.free, unit_))
                                      : tr("%1 free").arg(bytesIn(row.free, unit_));
    painter.drawText(value.translated(0, value.height()), Qt::AlignLeft | Qt::AlignVCenter, free);
}

void LedgerStack::paintRow(QPainter& painter, const Row& row, double top) const {
    const QRectF area = barArea();
    if (!detailed()) {
        const double high = rowHeight() - 1.5;
        widgets::paintLedger(painter, QRectF(area.left(), top, area.width(), high), row.planned,
                             theme_);
        const double x = area.left() + area.width() * double(row.used) / double(whole_);
        if (row.used > 0)
            painter.fillRect(QRectF(std::round(x), top - 0.5, 1.5, high + 1),
                             theme_.color(Token::T1));
        return;
    }
    if (row.rank == selected_)
        painter.fillRect(QRectF(0, top, width(), rowHeight()), theme_.color(Token::AccentBg));
    const double middle = top + rowHeight() / 2;
    // Planned above, measured below it; alone it takes both places.
    const double high = row.isMeasured ? 6.5 : 12;
    const double first = row.isMeasured ? middle - 8 : middle - 6;
    widgets::paintLedger(painter, QRectF(area.left(), first, area.width(), high), row.planned,
                         theme_);
    if (row.isMeasured)
        widgets::paintLedger(painter, QRectF(area.left(), middle + 1, area.width(), high),
                             row.measured, theme_);
    painter.setFont(theme_.font(TextRole::AxisStrong));
    painter.setPen(theme_.color(Token::T1));
    painter.drawText(QRectF(theme_.px(12), top, theme_.px(kLabel), rowHeight()),
                     Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("r%1").arg(row.rank));
    const QRectF value(area.right() + theme_.px(8), middle - theme_.px(15), theme_.px(kValue),
                       theme_.px(15));
    painter.drawText(value, Qt::AlignLeft | Qt::AlignVCenter, bytesIn(row.total, unit_));
    painter.setFont(theme_.font(TextRole::Axis));
    painter.setPen(theme_.color(row.free < 0 ? Token::Err : Token::T3));
    const QString free = row.free < 0 ? tr("%1 over").arg(bytesIn(-row.free, unit_))
                                      : tr("%1 free").arg(bytesIn(row.free, unit_));
    painter.drawText(value.translated(0, value.height() - 1), Qt::AlignLeft | Qt::AlignVCenter,
                     free);
}

void LedgerStack::paintScale(QPainter& painter, double bottom) const {
    const QRectF area = barArea();
    const double perUnit = models::unitBytes(unit_);
    const double span = double(whole_) / perUnit;
    double step = std::pow(10.0, std::floor(std::log10(std::max(1e-9, span / 2))));
    step *= span / step > 8 ? 2 : 1;
    painter.setFont(theme_.font(TextRole::Axis));
    painter.setPen(theme_.color(Token::T3));
    for (double at = 0; at <= span; at += step) {
        const double x = area.left() + area.width() * at / span;
        painter.drawText(QRectF(x - 30, bottom + 2, 60, 16), Qt::AlignCenter,
                         QString::number(at, 'g', 4));
    }
    painter.drawText(QRectF(area.left(), bottom + 34, width() - area.left(), 16),
                     Qt::AlignLeft | Qt::AlignVCenter, scaleText());
    if (budget_ <= 0)
        return;
    const double x =
        std::round(area.left() + area.width() * double(budget_) / double(whole_)) + 0.5;
    QPen pen(theme_.color(Token::Err), 1.5);
    pen.setDashPattern({5 / 1.5, 3 / 1.5});
    painter.setPen(pen);
    painter.drawLine(QPointF(x, 4), QPointF(x, bottom + 2));
    painter.setPen(theme_.color(Token::Err));
    painter.drawText(QRectF(x - 160, bottom + 17, 162, 16), Qt::AlignRight | Qt::AlignVCenter,
                     tr("budget %1").arg(bytesIn(budget_, unit_)));
}

// Names of the parts that some rank has, as many on a line as fit.
void LedgerStack::paintLegend(QPainter& painter, double top) const {
    painter.setFont(theme_.font(TextRole::Axis));
    const double left = theme_.px(12);
    double x = left;
    for (std::size_t part = 0; part < models::kLedgerParts; ++part) {
        const bool used = std::any_of(rows_.begin(), rows_.end(), [part](const Row& row) {
            return row.planned.parts[part].bytes > 0 || row.measured.parts[part].bytes > 0;
        });
        if (!used)
            continue;
        const auto kind = static_cast<widgets::LedgerPart>(part);
        const QString name = widgets::Theme::ledgerName(kind);
        const double wide = theme_.px(14) + painter.fontMetrics().horizontalAdvance(name);
        if (x > left && x + wide > width() - left) {
            x = left;
            top += theme_.px(16);
        }
        painter.fillRect(QRectF(x, top + 4, theme_.px(9), theme_.px(9)),
                         theme_.seriesArea(widgets::Theme::ledgerSeries(kind)));
        painter.setPen(theme_.color(Token::T2));
        painter.drawText(QRectF(x + theme_.px(14), top, wide, theme_.px(16)),
                         Qt::AlignLeft | Qt::AlignVCenter, name);
        x += wide + theme_.px(12);
    }
}

QString LedgerStack::scaleText() const {
    const bool measured =
        std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.isMeasured; });
    if (!measured)
        return tr("%1 per rank, planned").arg(unit_);
    return detailed() ? tr("%1: planned, measured").arg(unit_)
                      : tr("%1 planned, tick: measured").arg(unit_);
}

void LedgerStack::mousePressEvent(QMouseEvent* event) {
    for (const Block& block : blocks()) {
        const double row = (event->pos().y() - block.top) / rowHeight();
        if (row >= 0 && row < double(block.count))
            emit rankChosen(rows_[block.first + std::size_t(row)].rank);
    }
}

}  // namespace fl::panels
