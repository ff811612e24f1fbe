// SPDX-License-Identifier: GPL-3.0-or-later
// Text of a model token by token: unsure tokens are underlined, the one under the pointer or the
// keyboard is outlined. Tokens wrap between words as text does.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/widgets/theme.h"

namespace fl::widgets {

struct TextToken {
    QString text;
    double probability = 1;  // below 0.9, 0.6 and 0.3 it is marked; NaN: not known
};

class TokenText : public QWidget {
    Q_OBJECT

public:
    explicit TokenText(const Theme& theme, QWidget* parent = nullptr);

    void setTokens(std::vector<TextToken> tokens);
    // For streaming: lays out only what is new.
    void append(const TextToken& token);
    int count() const { return int(tokens_.size()); }
    QRect tokenRect(int index) const;
    void setCursorShown(bool shown);  // the block at the end while an answer streams

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    // −1: none any more.
    void tokenEntered(int index);
    void tokenClicked(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    // A part of a token on one line; a token with a line break has several.
    struct Piece {
        int token;
        QString text;
        QRect box;
    };
    // A part of a token between line breaks, measured once: shaping text is what takes time.
    struct Row {
        int token;
        QString text;
        int wide;     // all of it
        int bare;     // without the space it begins with, if any
        bool breaks;  // a line break stands before it
        bool isWord;  // begins with a space
    };
    struct Pen {  // where the next piece begins
        int x = 0;
        int line = 0;
    };
    struct Asked {  // another width, as far as its rows were placed
        int width = -1;
        std::size_t count = 0;  // of the rows
        Pen pen;
    };
    void measure(int token);
    // Moves the pen behind the row; returns where it came to stand.
    Piece place(const Row& row, int width, Pen& pen) const;
    void measureAll();
    void layOut();
    int at(const QPoint& point) const;
    void enter(int token);
    void paintPiece(QPainter& painter, const Piece& piece) const;

    const Theme& theme_;
    std::vector<TextToken> tokens_;
    std::vector<Row> rows_;
    std::vector<Piece> pieces_;
    Pen pen_;
    int laidOutWidth_ = -1;
    mutable Asked asked_;
    int current_ = -1;
    bool cursor_ = false;
};

}  // namespace fl::widgets
