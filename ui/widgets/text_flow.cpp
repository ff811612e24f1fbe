// SPDX-License-Identifier: GPL-3.0-or-later
// Measures parts and places them line by line.
#include "ui/widgets/text_flow.h"

#include <algorithm>
#include <utility>

#include <QTextBoundaryFinder>

namespace fl::widgets {

namespace {

constexpr int kTail = 4;
// Longer ones are cut where no character is, so that they can go on in the next line.
constexpr int kLongestWord = 16;

void addWord(const QString& word, QStringList& words) {
    if (word.size() <= kLongestWord) {
        words << word;
        return;
    }
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, word);
    qsizetype begin = 0;
    int count = 0;
    for (qsizetype end = 0; (end = finder.toNextBoundary()) >= 0;) {
        if (++count == kLongestWord || end == word.size()) {
            words << word.mid(begin, end - begin);
            begin = end;
            count = 0;
        }
    }
}

}  // namespace

QStringList flowWords(const QString& text) {
    QStringList words;
    QTextBoundaryFinder finder(QTextBoundaryFinder::Line, text);
    qsizetype begin = 0;
    for (qsizetype end = 0; (end = finder.toNextBoundary()) >= 0;) {
        // Spaces belong to the word behind them, line breaks to the one before.
        qsizetype cut = end;
        while (end < text.size() && cut > begin && text[cut - 1] == QLatin1Char(' ')) {
            --cut;
        }
        if (cut > begin) {
            addWord(text.mid(begin, cut - begin), words);
            begin = cut;
        }
    }
    return words;
}

TextFlow::TextFlow(const QFont& font, int lineHeight)
    : font_(font),
      metrics_(font),
      lineHeight_(lineHeight) {}

void TextFlow::setFont(const QFont& font, int lineHeight) {
    font_ = font;
    metrics_ = QFontMetrics(font);
    lineHeight_ = lineHeight;
    clear();
}

void TextFlow::clear() {
    parts_.clear();
    boxes_.clear();
    tail_.clear();
    pen_ = {};
    asked_ = {};
}

bool TextFlow::breaksBefore(const QString& text) const {
    if (tail_.isEmpty() || text.isEmpty() || text.front().isSpace() || tail_.back().isSpace()) {
        return !text.isEmpty();
    }
    const QString both = tail_ + text.left(kTail);
    QTextBoundaryFinder finder(QTextBoundaryFinder::Line, both);
    finder.setPosition(tail_.size());
    return finder.isAtBoundary();
}

void TextFlow::append(int token, const QString& text) {
    bool breaks = false;
    for (QString line : text.split(QLatin1Char('\n'))) {
        line.replace(QLatin1Char('\t'), QStringLiteral("    "));
        const bool isWord = line.startsWith(QLatin1Char(' '));
        const int wide = metrics_.horizontalAdvance(line);
        const int bare = isWord ? metrics_.horizontalAdvance(line.mid(1)) : wide;
        parts_.push_back({token, line, wide, bare, breaks, isWord, !breaks && !breaksBefore(line)});
        tail_ = (breaks ? line : tail_ + line).right(kTail);
        place(parts_.size() - 1, width_, pen_, &boxes_);
        breaks = true;
    }
}

FlowBox TextFlow::put(std::size_t part, Pen& pen) const {
    const FlowPart& what = parts_[part];
    // Not behind a line break of the text: spaces there are meant.
    const bool bare = what.isWord && pen.x == 0 && !what.breaks;
    const int wide = bare ? what.bare : what.wide;
    const QRect rect(pen.x, pen.line * lineHeight_, wide, lineHeight_);
    pen.x += wide;
    return {rect, bare};
}

void TextFlow::place(std::size_t part, int width, Pen& pen, std::vector<FlowBox>* boxes) const {
    const FlowPart& what = parts_[part];
    const auto add = [&](std::size_t one) {
        const FlowBox box = put(one, pen);
        if (boxes) {
            boxes->push_back(box);
        }
    };
    const auto isFull = [&](std::size_t one) {
        return pen.x > 0 && pen.x + parts_[one].wide > width;
    };
    if (what.breaks) {
        pen = {0, pen.line + 1, part, 0};
    } else if (!what.joins) {
        pen = isFull(part) ? Pen{0, pen.line + 1, part, 0} : Pen{pen.x, pen.line, part, pen.x};
    } else if (isFull(part) && pen.wordX > 0) {
        // The word it belongs to goes to the next line as a whole.
        const std::size_t first = pen.word;
        if (boxes) {
            boxes->resize(first);
        }
        pen = {0, pen.line + 1, first, 0};
        for (std::size_t one = first; one < part; ++one) {
            add(one);
        }
    }
    if (isFull(part)) {
        pen = {0, pen.line + 1, pen.word, 0};
    }
    add(part);
}

void TextFlow::setWidth(int width) {
    width_ = width;
    boxes_.clear();
    pen_ = {};
    asked_ = {};
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        place(part, width, pen_, &boxes_);
    }
}

int TextFlow::heightFor(int width) const {
    if (width == width_) {
        return height();
    }
    if (width != asked_.width) {
        asked_ = {width, 0, {}};
    }
    while (asked_.count < parts_.size()) {
        place(asked_.count++, width, asked_.pen, nullptr);
    }
    return (asked_.pen.line + 1) * lineHeight_;
}

QString TextFlow::shown(std::size_t part) const {
    return boxes_[part].bare ? parts_[part].text.mid(1) : parts_[part].text;
}

std::size_t TextFlow::firstFrom(int y) const {
    const auto first = std::partition_point(
        boxes_.begin(), boxes_.end(), [y](const FlowBox& box) { return box.rect.bottom() < y; });
    return std::size_t(first - boxes_.begin());
}

std::size_t TextFlow::partAt(const QPoint& point) const {
    for (std::size_t part = firstFrom(point.y());
         part < boxes_.size() && boxes_[part].rect.top() <= point.y(); ++part) {
        if (boxes_[part].rect.contains(point)) {
            return part;
        }
    }
    return parts_.size();
}

FlowPlace TextFlow::placeAt(const QPoint& point) const {
    std::size_t part = firstFrom(std::max(0, point.y()));
    if (part == parts_.size()) {
        return parts_.empty() ? FlowPlace{} : FlowPlace{part - 1, int(parts_.back().text.size())};
    }
    const int line = boxes_[part].rect.top();
    while (part + 1 < parts_.size() && boxes_[part + 1].rect.top() == line &&
           boxes_[part + 1].rect.left() <= point.x()) {
        ++part;
    }
    const QString text = shown(part);
    const int inside = point.x() - boxes_[part].rect.left();
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text);
    qsizetype nearest = 0;
    for (qsizetype at = 0; at >= 0; at = finder.toNextBoundary()) {
        if (std::abs(metrics_.horizontalAdvance(text.left(at)) - inside) <
            std::abs(metrics_.horizontalAdvance(text.left(nearest)) - inside)) {
            nearest = at;
        }
    }
    return {part, int(nearest) + (boxes_[part].bare ? 1 : 0)};
}

int TextFlow::xOf(const FlowPlace& place) const {
    const int hidden = boxes_[place.part].bare ? 1 : 0;
    const QString before = shown(place.part).left(std::max(0, place.offset - hidden));
    return boxes_[place.part].rect.left() + metrics_.horizontalAdvance(before);
}

QString TextFlow::textBetween(const FlowPlace& from, const FlowPlace& to) const {
    QString text;
    for (std::size_t part = from.part; part <= to.part && part < parts_.size(); ++part) {
        const FlowPart& what = parts_[part];
        const int begin = part == from.part ? from.offset : 0;
        const int end = part == to.part ? to.offset : int(what.text.size());
        if (what.breaks && part != from.part) {
            text += QLatin1Char('\n');
        }
        text += what.text.mid(begin, end - begin);
    }
    return text;
}

}  // namespace fl::widgets
