// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/chat/sampling_form.h"

#include <limits>

#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>

#include "ui/widgets/segmented_control.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

namespace {

QDoubleSpinBox* realField(double low, double high, double step, double value) {
    auto* field = new QDoubleSpinBox;
    field->setRange(low, high);
    field->setSingleStep(step);
    field->setDecimals(2);
    field->setValue(value);
    field->setAlignment(Qt::AlignRight);
    return field;
}

QSpinBox* wholeField(int low, int high, int value) {
    auto* field = new QSpinBox;
    field->setRange(low, high);
    field->setValue(value);
    field->setGroupSeparatorShown(true);
    field->setAlignment(Qt::AlignRight);
    return field;
}

}  // namespace

SamplingForm::SamplingForm(const widgets::Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      kind_(new widgets::SegmentedControl(theme)),
      temperature_(realField(0.01, 5, 0.05, 0.7)),
      topP_(realField(0.01, 1, 0.05, 0.95)),
      minP_(realField(0, 1, 0.01, 0)),
      topK_(wholeField(0, 1'000'000, 0)),
      maxTokens_(wholeField(1, 1'000'000, 256)),
      seed_(wholeField(0, std::numeric_limits<int>::max(), 1)),
      stop_(new QLineEdit),
      system_(new QLineEdit) {
    auto* form = new QFormLayout(this);
    form->setContentsMargins(12, 4, 12, 8);
    form->setSpacing(6);
    kind_->setSegments({tr("Greedy"), tr("Own")});
    kind_->setAccessibleName(tr("Sampling"));
    topK_->setSpecialValueText(tr("off"));
    minP_->setSpecialValueText(tr("off"));
    stop_->setPlaceholderText(tr("Text that ends an answer"));
    system_->setPlaceholderText(tr("As the model's template has it"));
    addField(tr("System prompt"), system_);
    addField(tr("Sampling"), kind_);
    addField(tr("Temperature"), temperature_);
    addField(tr("Top p"), topP_);
    addField(tr("Min p"), minP_);
    addField(tr("Top k"), topK_);
    addField(tr("Seed"), seed_);
    addField(tr("Max tokens"), maxTokens_);
    addField(tr("Stop at"), stop_);
    connect(kind_, &widgets::SegmentedControl::chosen, this, &SamplingForm::showKind);
    showKind();
}

void SamplingForm::addField(const QString& name, QWidget* field) {
    auto* label = new widgets::TextLabel(theme_, widgets::TextRole::Small, widgets::Token::T2);
    label->setText(name);
    label->setBuddy(field);
    field->setAccessibleName(name);
    static_cast<QFormLayout*>(layout())->addRow(label, field);
}

void SamplingForm::showKind() {
    const bool own = kind_->current() == 1;
    for (QWidget* field :
         std::initializer_list<QWidget*>{temperature_, topP_, minP_, topK_, seed_}) {
        field->setEnabled(own);
        field->setToolTip(own ? QString() : tr("Greedy takes the likeliest token: choose Own"));
    }
}

protocol::Sampling SamplingForm::sampling() const {
    protocol::Sampling sampling;
    sampling.maxTokens = maxTokens_->value();
    if (!stop_->text().isEmpty())
        sampling.stop.push_back(stop_->text().toStdString());
    if (kind_->current() == 1) {
        sampling.temperature = temperature_->value();
        sampling.topP = topP_->value();
        sampling.minP = minP_->value();
        sampling.topK = topK_->value();
        sampling.seed = seed_->value();
    }
    return sampling;
}

QString SamplingForm::systemPrompt() const {
    return system_->text();
}

}  // namespace fl::panels
