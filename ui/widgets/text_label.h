// SPDX-License-Identifier: GPL-3.0-or-later
// A label in one of the type roles and one of the text colours.
#pragma once

#include <QHash>
#include <QLabel>

#include "ui/widgets/theme.h"

namespace fl::widgets {

class TextLabel : public QLabel {
    Q_OBJECT

public:
    explicit TextLabel(const Theme& theme,
                       TextRole role = TextRole::Base,
                       Token color = Token::T1,
                       QWidget* parent = nullptr);

    void setRole(TextRole role);
    void setColor(Token color);
    // Too long a text loses its middle, or its end, instead of widening the layout; the whole text
    // is the tool tip then. Qt::ElideNone (default): never.
    void setElide(Qt::TextElideMode mode);
    // A live number keeps the width of `longest`, so that nothing moves.
    void reserve(const QString& longest);

    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;
    int heightForWidth(int width) const override;

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void restyle();

    const Theme& theme_;
    TextRole role_;
    Token color_;
    Qt::TextElideMode elide_ = Qt::ElideNone;
    QString longest_;
    mutable QString wrapped_;          // what the heights are of
    mutable QHash<int, int> heights_;  // by width
};

}  // namespace fl::widgets
