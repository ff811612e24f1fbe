// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/framed_panel.h"

#include <QBoxLayout>

#include "ui/widgets/empty_state.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/page_layout.h"

namespace fl::panels {

FramedPanel::FramedPanel(const widgets::Theme& theme, QWidget* parent)
    : Panel(parent),
      theme_(theme),
      strip_(new widgets::MessageStrip(theme, widgets::MessageStrip::Shape::Line, this)),
      stack_(new widgets::PageLayout) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(strip_);
    column->addLayout(stack_, 1);
    strip_->hide();
}

void FramedPanel::setPicture(QWidget* picture) {
    stack_->insertWidget(0, picture);
}

widgets::EmptyState* FramedPanel::addEmptyState(const QString& icon,
                                                const QString& title,
                                                const QString& body) {
    auto* empty = new widgets::EmptyState(theme_, icon, this);
    empty->setTitle(title);
    empty->setBody(body);
    stack_->addWidget(empty);
    return empty;
}

void FramedPanel::showPicture(bool there) {
    stack_->setCurrentIndex(there ? 0 : stack_->count() - 1);
}

}  // namespace fl::panels
