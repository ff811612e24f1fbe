// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/page_layout.h"

#include <QWidget>

namespace fl::widgets {

PageLayout::PageLayout(QWidget* parent) : QStackedLayout(parent) {
    connect(this, &QStackedLayout::currentChanged, this, [this] { update(); });
}

QSize PageLayout::minimumSize() const {
    const QLayoutItem* page = itemAt(currentIndex());
    return page ? page->minimumSize() : QSize(0, 0);
}

bool PageLayout::hasHeightForWidth() const {
    const QLayoutItem* page = itemAt(currentIndex());
    return page && page->hasHeightForWidth();
}

int PageLayout::heightForWidth(int width) const {
    const QLayoutItem* page = itemAt(currentIndex());
    return page ? page->heightForWidth(width) : 0;
}

}  // namespace fl::widgets
