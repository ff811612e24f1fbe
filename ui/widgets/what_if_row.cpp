// SPDX-License-Identifier: GPL-3.0-or-later
// Letters and a stretched segmented control.
#include "ui/widgets/what_if_row.h"

#include <algorithm>
#include <iterator>

#include <QHBoxLayout>
#include <QMenu>

#include "ui/widgets/button.h"
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
    more_ = new Button(theme, {}, Button::Kind::Quiet, Button::Size::Compact, this);
    more_->setIconName(QStringLiteral("more"));
    more_->setToolTip(tr("More legal values of %1").arg(letters));
    row->addWidget(more_);
    connect(control_, &SegmentedControl::chosen, this,
            [this](int index) { choose(values_[std::size_t(index)]); });
    connect(more_, &Button::clicked, this, &WhatIfRow::openMenu);
}

void WhatIfRow::keepRoom(bool keep) {
    QSizePolicy policy = more_->sizePolicy();
    policy.setRetainSizeWhenHidden(keep);
    more_->setSizePolicy(policy);
}

void WhatIfRow::choose(int value) {
    value_ = value;
    fill();
    Q_EMIT valueChosen(value_);
}

std::vector<int> WhatIfRow::others() const {
    std::vector<int> others;
    std::copy_if(legal_.begin(), legal_.end(), std::back_inserter(others), [this](int value) {
        return std::find(values_.begin(), values_.end(), value) == values_.end();
    });
    return others;
}

void WhatIfRow::openMenu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const int value : others()) {
        connect(menu->addAction(QString::number(value)), &QAction::triggered, this,
                [this, value] { choose(value); });
    }
    menu->popup(more_->mapToGlobal(QPoint(0, more_->height())));
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
    more_->setVisible(!others().empty());
}

}  // namespace fl::widgets
