// SPDX-License-Identifier: GPL-3.0-or-later
// Letters and a stretched segmented control.
#include "ui/widgets/what_if_row.h"

#include <algorithm>

#include <QHBoxLayout>

#include "ui/widgets/segmented_control.h"
#include "ui/widgets/text_label.h"

namespace fl::widgets {

WhatIfRow::WhatIfRow(const Theme& theme, const QString& letters, QWidget* parent)
    : QWidget(parent) {
    letters_ = new TextLabel(theme, TextRole::Strong, Token::T1, this);
    letters_->setText(letters);
    letters_->setFixedWidth(theme.px(28));
    control_ = new SegmentedControl(theme, this);
    control_->setStretched(true);
    control_->setAccessibleName(letters);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme.px(8));
    row->addWidget(letters_);
    row->addWidget(control_, 1);
    connect(control_, &SegmentedControl::chosen, this, [this](int index) {
        value_ = values_[std::size_t(index)];
        Q_EMIT valueChosen(value_);
    });
}

void WhatIfRow::setValues(const std::vector<int>& values, const std::vector<int>& legal) {
    values_ = values;
    legal_ = legal;
    fill();
}

void WhatIfRow::setValue(int value) {
    value_ = value;
    fill();
}

int WhatIfRow::value() const {
    return value_;
}

void WhatIfRow::fill() {
    if (std::find(values_.begin(), values_.end(), value_) == values_.end()) {
        values_.insert(std::upper_bound(values_.begin(), values_.end(), value_), value_);
    }
    QStringList texts;
    for (const int value : values_) {
        texts << (value == 0 ? tr("auto") : QString::number(value));
    }
    control_->setSegments(texts);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const bool legal = values_[i] == 0 || legal_.empty() ||
                           std::find(legal_.begin(), legal_.end(), values_[i]) != legal_.end();
        control_->setIllegal(int(i), !legal);
        if (values_[i] == value_) {
            control_->setCurrent(int(i));
        }
    }
}

}  // namespace fl::widgets
