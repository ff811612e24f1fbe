// SPDX-License-Identifier: GPL-3.0-or-later
// One sentence about a state across the full width, its proof below, its remedy as buttons. A
// panel has one strip; of several messages the worst is shown and the rest is counted.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/widgets/button.h"
#include "ui/widgets/state.h"

class QBoxLayout;

namespace fl::widgets {

class StateIcon;
class TextLabel;

struct StripMessage {
    State state = State::Note;
    QString sentence;
    QString detail;     // second line; empty: none
    QString quote;      // a log line, in a box of its own; empty: none
    QString quoteName;  // "last line"
};

class MessageStrip : public QWidget {
    Q_OBJECT

public:
    enum class Shape { Line, Large };  // buttons at the right; buttons below, larger type

    explicit MessageStrip(const Theme& theme, Shape shape = Shape::Line, QWidget* parent = nullptr);

    // Shows one message without buttons; add them afterwards.
    void show(const StripMessage& message);
    // Shows the worst of them and "2 more". Hides the strip if there are none.
    void show(const std::vector<StripMessage>& messages);
    void clear();  // hides it
    // Owned by the strip, gone with the next message. Quiet buttons stand at the far right of a
    // large strip.
    Button* addButton(const QString& text, Button::Kind kind, const QString& iconName = {});
    QString sentence() const;
    State state() const { return state_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void build();
    void fill(const StripMessage& message, int more);

    const Theme& theme_;
    Shape shape_;
    State state_ = State::Note;
    StateIcon* icon_;
    TextLabel* sentence_;
    TextLabel* detail_;
    TextLabel* more_;
    QWidget* quote_;
    TextLabel* quoteName_;
    TextLabel* quoteText_;
    QBoxLayout* buttons_;
    std::vector<Button*> added_;
};

}  // namespace fl::widgets
