// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the ladder: an icon and a word for each verdict, the first failure on its tint.
#pragma once

#include "ui/widgets/table_delegate.h"

namespace fl::panels {

class LadderDelegate : public widgets::TableDelegate {
    Q_OBJECT

public:
    using TableDelegate::TableDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void paintContent(QPainter& painter,
                      const QRect& box,
                      const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
    QColor ground(const QModelIndex& index) const override;
};

}  // namespace fl::panels
