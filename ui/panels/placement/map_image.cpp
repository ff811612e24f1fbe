// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/map_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <QPainter>

namespace fl::panels {

using widgets::Token;

namespace {

constexpr int kLevels = 256;
constexpr int kDiagonalFrom = 6;  // smaller unknown cells are only grey

double levelOf(const GridCell& cell, const PlacementGrid& grid) {
    return grid.most > 0 ? std::min(1.0, double(cell.bytes) / double(grid.most)) : 0;
}

// Every colour a map can show, so that no cell asks the theme.
class Palette {
public:
    Palette(const widgets::Theme& theme, const PlacementGrid& grid, ColourBy by)
        : grid_(grid),
          bytes_(by == ColourBy::Bytes),
          unknown_(theme.color(Token::Bg3).rgb()) {
        for (int level = 0; level < kLevels; ++level)
            levels_[std::size_t(level)] =
                theme.sequential(kMostColour * level / (kLevels - 1)).rgb();
        for (std::size_t i = 0; i < grid.categories.size(); ++i)
            categories_.push_back(theme.seriesArea(int(i) + 1).rgb());
    }
    QRgb operator[](const GridCell& cell) const {
        if (bytes_)
            return levels_[std::size_t(std::lround(levelOf(cell, grid_) * (kLevels - 1)))];
        return cell.category < 0 ? unknown_ : categories_[std::size_t(cell.category)];
    }

private:
    const PlacementGrid& grid_;
    bool bytes_;
    QRgb unknown_;
    std::array<QRgb, kLevels> levels_{};
    std::vector<QRgb> categories_;
};

void markUnknown(QImage& image,
                 const PlacementGrid& grid,
                 const MapView& view,
                 const widgets::Theme& theme,
                 const QRect& seen) {
    QPainter painter(&image);
    painter.translate(-view.viewport().topLeft());
    painter.setPen(theme.color(Token::Line2));
    for (int row = view.rowAt(seen.top()); row <= view.rowAt(seen.bottom()); ++row) {
        for (int column = view.columnAt(seen.left()); column <= view.columnAt(seen.right());
             ++column) {
            const GridCell& cell = grid.at(column, row);
            const QRect box = view.cell(column, row).adjusted(0, 0, -view.gap(), -view.gap());
            if (cell.present && cell.category < 0)
                painter.drawLine(box.bottomLeft(), box.topRight());
        }
    }
}

}  // namespace

QColor cellColor(const GridCell& cell,
                 const PlacementGrid& grid,
                 ColourBy by,
                 const widgets::Theme& theme) {
    if (by == ColourBy::Bytes)
        return theme.sequential(levelOf(cell, grid) * kMostColour);
    return cell.category < 0 ? theme.color(Token::Bg3) : theme.seriesArea(cell.category + 1);
}

QImage mapImage(const PlacementGrid& grid,
                ColourBy by,
                const MapView& view,
                const widgets::Theme& theme,
                double ratio) {
    const QSize size = (QSizeF(view.viewport().size()) * ratio).toSize().expandedTo({1, 1});
    QImage image(size, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    const QRgb ground = theme.color(Token::Bg0).rgb();
    image.fill(ground);
    const QRect seen = view.content();
    if (grid.ranks.empty() || grid.rows() == 0 || seen.isEmpty())
        return image;
    const Palette palette(theme, grid, by);
    const auto pixel = [ratio](int length) { return int(std::lround(length * ratio)); };
    const int gap = view.gap();
    std::vector<QRgb> line(std::size_t(size.width()));
    const int lastRow = view.rowAt(seen.bottom());
    const int lastColumn = view.columnAt(seen.right());
    for (int row = view.rowAt(seen.top()); row <= lastRow; ++row) {
        std::fill(line.begin(), line.end(), ground);
        for (int column = view.columnAt(seen.left()); column <= lastColumn; ++column) {
            const GridCell& cell = grid.at(column, row);
            if (!cell.present)
                continue;
            const QRect box = view.cell(column, row).translated(-view.viewport().topLeft());
            const int begin = std::max(0, pixel(box.left()));
            const int end = std::min(size.width(), pixel(box.left() + box.width() - gap));
            if (end > begin)
                std::fill(line.begin() + begin, line.begin() + end, palette[cell]);
        }
        const QRect box = view.cell(0, row).translated(-view.viewport().topLeft());
        const int end = std::min(size.height(), pixel(box.top() + box.height() - gap));
        for (int y = std::max(0, pixel(box.top())); y < end; ++y)
            std::memcpy(image.scanLine(y), line.data(), line.size() * sizeof(QRgb));
    }
    const bool mayBeUnknown = by != ColourBy::Bytes && view.cellWidth() >= kDiagonalFrom &&
                              view.cellHeight() >= kDiagonalFrom;
    if (mayBeUnknown)
        markUnknown(image, grid, view, theme, seen);
    return image;
}

}  // namespace fl::panels
