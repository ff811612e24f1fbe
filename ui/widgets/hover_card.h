// SPDX-License-Identifier: GPL-3.0-or-later
// What is under the pointer, in a small window of its own beside it.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/widgets/key_value_list.h"

namespace fl::widgets {

class TextLabel;

class HoverCard : public QWidget {
    Q_OBJECT

public:
    explicit HoverCard(const Theme& theme, QWidget* parent = nullptr);

    void setTitle(const QString& title, TextRole role = TextRole::Mono);
    void setSubtitle(const QString& text);
    void setRows(std::vector<KeyValue> rows);
    // A widget between the subtitle and the rows, owned by the card; nullptr takes it away.
    void setBody(QWidget* body);
    // Opens beside `target` (global), never over it, inside the screen.
    void showBeside(const QRect& target);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
    TextLabel* title_;
    TextLabel* subtitle_;
    KeyValueList* rows_;
    QWidget* body_ = nullptr;
};

}  // namespace fl::widgets
