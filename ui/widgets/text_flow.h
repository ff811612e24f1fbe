// SPDX-License-Identifier: GPL-3.0-or-later
// Text that grows at its end, broken into lines between its words. Each part is shaped once, and
// adding one costs what that part costs, however long the text has become.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include <QFont>
#include <QFontMetrics>
#include <QRect>
#include <QString>
#include <QStringList>

namespace fl::widgets {

// What stands between two line breaks of one token.
struct FlowPart {
    int token;
    QString text;
    int wide;     // all of it
    int bare;     // without the space it begins with, if any
    bool breaks;  // a line break stands before it
    bool isWord;  // begins with a space
    bool joins;   // no line ends between the part before and this one
};

struct FlowBox {
    QRect rect;
    bool bare = false;  // begins a line: its first space is left out
};

// Before character `offset` of a part.
struct FlowPlace {
    std::size_t part = 0;
    int offset = 0;
    auto operator<=>(const FlowPlace&) const = default;
};

class TextFlow {
public:
    TextFlow(const QFont& font, int lineHeight);

    // Both begin a new text.
    void setFont(const QFont& font, int lineHeight);
    void clear();
    const QFont& font() const { return font_; }
    void append(int token, const QString& text);
    void setWidth(int width);

    int width() const { return width_; }
    int lines() const { return pen_.line + 1; }
    int height() const { return lines() * lineHeight_; }
    // Asking for the same other width again costs only what was added since.
    int heightFor(int width) const;
    const std::vector<FlowPart>& parts() const { return parts_; }
    const FlowBox& box(std::size_t part) const { return boxes_[part]; }
    // As it is drawn: a word begins a line without its space.
    QString shown(std::size_t part) const;
    // First part whose line ends at or below `y`, or the number of parts.
    std::size_t firstFrom(int y) const;
    // The part under a point, or the number of parts.
    std::size_t partAt(const QPoint& point) const;
    // The place between two characters that is nearest to a point.
    FlowPlace placeAt(const QPoint& point) const;
    int xOf(const FlowPlace& place) const;
    QString textBetween(const FlowPlace& from, const FlowPlace& to) const;

private:
    struct Pen {  // where the next part begins
        int x = 0;
        int line = 0;
        std::size_t word = 0;  // first part of the word that is being written
        int wordX = 0;         // and where it begins
    };
    struct Asked {  // another width, as far as its parts were placed
        int width = -1;
        std::size_t count = 0;
        Pen pen;
    };
    void place(std::size_t part, int width, Pen& pen, std::vector<FlowBox>* boxes) const;
    FlowBox put(std::size_t part, Pen& pen) const;
    bool breaksBefore(const QString& text) const;

    QFont font_;
    QFontMetrics metrics_;
    int lineHeight_;
    int width_ = 0;
    std::vector<FlowPart> parts_;
    std::vector<FlowBox> boxes_;
    QString tail_;  // the last characters
    Pen pen_;
    mutable Asked asked_;
};

// Words for a flow out of running text, each with the spaces before it; long ones in several parts.
QStringList flowWords(const QString& text);

}  // namespace fl::widgets
