// SPDX-License-Identifier: GPL-3.0-or-later
// How the next answer is drawn: greedy, or by temperature with its limits and a seed.
#pragma once

#include <QWidget>

#include "engine/protocol/messages.h"

class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;

namespace fl::widgets {
class SegmentedControl;
class Theme;
}  // namespace fl::widgets

namespace fl::panels {

class SamplingForm : public QWidget {
    Q_OBJECT

public:
    explicit SamplingForm(const widgets::Theme& theme, QWidget* parent = nullptr);

    protocol::Sampling sampling() const;
    QString systemPrompt() const;

private:
    void addField(const QString& name, QWidget* field);
    void showKind();

    const widgets::Theme& theme_;
    widgets::SegmentedControl* kind_;
    QDoubleSpinBox* temperature_;
    QDoubleSpinBox* topP_;
    QDoubleSpinBox* minP_;
    QSpinBox* topK_;
    QSpinBox* maxTokens_;
    QSpinBox* seed_;
    QLineEdit* stop_;
    QLineEdit* system_;
};

}  // namespace fl::panels
