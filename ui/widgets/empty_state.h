// SPDX-License-Identifier: GPL-3.0-or-later
// A panel without data teaches: what will fill it, and the button for it. Left-aligned, vertically
// centred.
#pragma once

#include <QWidget>

#include "ui/widgets/button.h"

class QBoxLayout;

namespace fl::widgets {

class TextLabel;

class EmptyState : public QWidget {
    Q_OBJECT

public:
    EmptyState(const Theme& theme, const QString& iconName, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setBody(const QString& sentences);
    // A line with its own icon below the body, for what the user can do meanwhile.
    void addHint(const QString& iconName, const QString& text);
    // At most two; the first may be primary.
    Button* addButton(const QString& text, Button::Kind kind = Button::Kind::Normal);

private:
    const Theme& theme_;
    TextLabel* title_;
    TextLabel* body_;
    QBoxLayout* hints_;
    QBoxLayout* buttons_;
};

// An icon as a label, in a token's colour.
class IconLabel : public QWidget {
    Q_OBJECT

public:
    IconLabel(const Theme& theme,
              const QString& name,
              int size = 16,
              Token color = Token::T2,
              QWidget* parent = nullptr);

    void setIconName(const QString& name);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
    QString name_;
    int size_;
    Token color_;
};

}  // namespace fl::widgets
