// SPDX-License-Identifier: GPL-3.0-or-later
// Text of a chat. Of a model token by token: unsure tokens are underlined, the one under the
// pointer or the keyboard is outlined. Or plain. Lines break between words; what is selected can be
// copied.
#pragma once

#include <limits>
#include <vector>

#include <QWidget>

#include "ui/widgets/text_flow.h"
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
    // Words instead of tokens. Where it begins with the text shown, only the rest is laid out.
    void setPlainText(const QString& text);
    int count() const { return int(tokens_.size()); }
    QRect tokenRect(int index) const;
    void setCursorShown(bool shown);  // the block at the end while an answer streams
    QString selectedText() const;
    void selectAll();

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
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void addActions();
    void restyle();
    void flowOn();
    void clear();
    int at(const QPoint& point) const;
    void enter(int token);
    void select(const FlowPlace& from, const FlowPlace& to);
    void paintSelection(QPainter& painter, std::size_t part) const;
    void paintPart(QPainter& painter, std::size_t part) const;

    const Theme& theme_;
    std::vector<TextToken> tokens_;
    TextFlow flow_;
    int flowed_ = 0;  // of the tokens; the rest follows when the event loop comes round
    bool plain_ = false;
    QString plainText_;
    FlowPlace anchor_;
    FlowPlace end_;
    QPoint pressed_;
    int current_ = -1;
    bool cursor_ = false;
};

}  // namespace fl::widgets
