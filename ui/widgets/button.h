// SPDX-License-Identifier: GPL-3.0-or-later
// The push button in its four kinds. At most one primary is in view: the next sensible step.
#pragma once

#include <QPushButton>

#include "ui/widgets/theme.h"

namespace fl::widgets {

class Button : public QPushButton {
    Q_OBJECT

public:
    enum class Kind { Primary, Normal, Danger, Quiet };
    enum class Size { Regular, Compact };  // 28 high; 24, inside panels

    Button(const Theme& theme,
           const QString& text,
           Kind kind = Kind::Normal,
           Size size = Size::Regular,
           QWidget* parent = nullptr);

    void setKind(Kind kind);
    Kind kind() const { return kind_; }
    // Left of the text, in its colour; empty: none. A button without text needs a tool tip, which
    // becomes its accessible name.
    void setIconName(const QString& name);
    // A second word in the strong colour after the text, which turns secondary: "Model Kimi-K2.5".
    void setValue(const QString& value);
    // A chevron at the right, for buttons that open a menu.
    void setDropDown(bool on);
    // Disables the button; `reason` becomes the tool tip. An empty reason enables it again and
    // brings the old tool tip back.
    void setBlocked(const QString& reason);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Look {
        Token ground;
        Token border;
        Token text;
        bool hasGround;
        bool hasBorder;
    };
    Look look() const;
    void paintContents(QPainter& painter, Token text) const;
    int contentWidth() const;
    bool pressedLook() const;

    const Theme& theme_;
    Kind kind_;
    Size size_;
    QString iconName_;
    QString value_;
    QString usualTip_;
    bool dropDown_ = false;
};

}  // namespace fl::widgets
