// SPDX-License-Identifier: GPL-3.0-or-later
// What the recipe expects of the checkpoint and what it found: four counts, each a way to the
// tensors behind it, and the bytes by type as one bar.
#pragma once

#include <vector>

#include <QWidget>

#include "engine/protocol/messages.h"
#include "ui/widgets/theme.h"

class QBoxLayout;

namespace fl::widgets {
class Badge;
class Chip;
class Legend;
class StateIcon;
class TextLabel;
}  // namespace fl::widgets

namespace fl::panels {

class DtypeBar;

class ContractRow : public QWidget {
    Q_OBJECT

public:
    explicit ContractRow(const widgets::Theme& theme, QWidget* parent = nullptr);

    void setCensus(const protocol::Census& census, const QString& parameters);
    // Whose tensors alone are listed; "" where all are.
    void setChosen(const QString& state);

signals:
    void contractChosen(const QString& state);  // matched missing unexpected ignored

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Part {
        QString state;
        widgets::StateIcon* icon = nullptr;
        widgets::Chip* chip = nullptr;
    };
    void addPart(QWidget* box, const QString& state);

    const widgets::Theme& theme_;
    QBoxLayout* first_ = nullptr;
    widgets::TextLabel* recipe_ = nullptr;
    widgets::Badge* badge_ = nullptr;
    QWidget* counts_ = nullptr;
    std::vector<Part> parts_;
    DtypeBar* bar_ = nullptr;
    widgets::Legend* legend_ = nullptr;
    widgets::TextLabel* parameters_ = nullptr;
};

}  // namespace fl::panels
