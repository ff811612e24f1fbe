// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/map_view.h"

#include <algorithm>
#include <cmath>

namespace fl::panels {

namespace {

// A size that fills the room with `count` cells, whole pixels where that is not too coarse.
double fitting(int room, int count, int most) {
    const double size = std::min<double>(most, double(std::max(1, room)) / std::max(1, count));
    return size >= MapView::kGapFrom ? std::floor(size) : size;
}

double grown(double size, double factor, double least, double most) {
    double next = size * factor;
    if (next >= MapView::kGapFrom) {
        next = std::round(next);
        if (next == size)
            next += factor > 1 ? 1 : -1;
    }
    return std::clamp(next, least, std::max(least, most));
}

}  // namespace

void MapView::setShape(const Shape& shape, const QRect& viewport, int gap) {
    fitted_ = fitted_ || !(shape == shape_);
    shape_ = shape;
    viewport_ = viewport;
    edgeGap_ = gap;
    if (fitted_)
        fit();
    else
        clampScroll();
}

void MapView::setLimits(QSize fitted, QSize zoomed) {
    mostFitted_ = fitted;
    mostZoomed_ = zoomed;
}

void MapView::fit() {
    const int gaps = edgeGap_ * ((shape_.hasEmbed ? 1 : 0) + (shape_.hasHead ? 1 : 0));
    cellWidth_ = fitting(viewport_.width(), shape_.columns, mostFitted_.width());
    cellHeight_ = fitting(viewport_.height() - gaps, shape_.rows, mostFitted_.height());
    scroll_ = {};
    fitted_ = true;
}

void MapView::zoom(double factor, const QPoint& about) {
    const double column = double(about.x() - viewport_.left() + scroll_.x()) / cellWidth_;
    const double row = double(about.y() - viewport_.top() + scroll_.y()) / cellHeight_;
    MapView whole = *this;
    whole.fit();
    cellWidth_ = grown(cellWidth_, factor, whole.cellWidth_, mostZoomed_.width());
    cellHeight_ = grown(cellHeight_, factor, whole.cellHeight_, mostZoomed_.height());
    scroll_ = {int(std::lround(column * cellWidth_)) - (about.x() - viewport_.left()),
               int(std::lround(row * cellHeight_)) - (about.y() - viewport_.top())};
    fitted_ = cellWidth_ <= whole.cellWidth_ && cellHeight_ <= whole.cellHeight_;
    clampScroll();
}

void MapView::pan(const QPoint& by) {
    scroll_ -= by;
    clampScroll();
}

void MapView::reveal(int column, int row) {
    const QRect box = cell(column, row);
    const auto shift = [](int low, int high, int from, int to) {
        return low < from ? from - low : high > to ? to - high : 0;
    };
    pan({shift(box.left(), box.right(), viewport_.left(), viewport_.right()),
         shift(box.top(), box.bottom(), viewport_.top(), viewport_.bottom())});
}

int MapView::contentWidth() const {
    return int(std::floor(shape_.columns * cellWidth_));
}

int MapView::contentHeight() const {
    return rowOffset(shape_.rows);
}

void MapView::clampScroll() {
    scroll_.setX(std::clamp(scroll_.x(), 0, std::max(0, contentWidth() - viewport_.width())));
    scroll_.setY(std::clamp(scroll_.y(), 0, std::max(0, contentHeight() - viewport_.height())));
}

int MapView::rowOffset(int row) const {
    int offset = int(std::floor(row * cellHeight_));
    if (shape_.hasEmbed && row > 0)
        offset += edgeGap_;
    if (shape_.hasHead && row >= shape_.rows - 1)
        offset += edgeGap_;
    return offset;
}

int MapView::left(int column) const {
    return viewport_.left() - scroll_.x() + int(std::floor(column * cellWidth_));
}

int MapView::top(int row) const {
    return viewport_.top() - scroll_.y() + rowOffset(row);
}

QRect MapView::cell(int column, int row) const {
    const int right = std::max(left(column) + 1, left(column + 1));
    const int high =
        std::max(1, int(std::floor((row + 1) * cellHeight_)) - int(std::floor(row * cellHeight_)));
    return {left(column), top(row), right - left(column), high};
}

QRect MapView::content() const {
    return QRect(viewport_.left() - scroll_.x(), viewport_.top() - scroll_.y(), contentWidth(),
                 contentHeight()) &
           viewport_;
}

int MapView::columnAt(int x) const {
    const double column = double(x - viewport_.left() + scroll_.x() + 1) / cellWidth_;
    return std::clamp(int(std::ceil(column)) - 1, 0, std::max(0, shape_.columns - 1));
}

int MapView::rowAt(int y) const {
    int offset = y - viewport_.top() + scroll_.y();
    if (shape_.hasEmbed && offset >= int(cellHeight_))
        offset = std::max(int(std::floor(cellHeight_)), offset - edgeGap_);
    const int row = int(std::ceil(double(offset + 1) / cellHeight_)) - 1;
    const int last = std::max(0, shape_.rows - 1);
    // The head stands one gap lower than a row of the layers would.
    return std::clamp(shape_.hasHead && row >= last && y < top(last) ? last - 1 : row, 0, last);
}

QPoint MapView::cellAt(const QPoint& place) const {
    if (shape_.columns == 0 || shape_.rows == 0 || !content().contains(place))
        return {-1, -1};
    const QPoint found(columnAt(place.x()), rowAt(place.y()));
    return cell(found.x(), found.y()).contains(place) ? found : QPoint(-1, -1);
}

}  // namespace fl::panels
