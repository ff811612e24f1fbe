// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the tensor tree: names in mono with the search's hits marked, then what folded rows are.
#pragma once

#include "ui/widgets/table_delegate.h"

namespace fl::models {
class TensorTreeModel;
}

namespace fl::panels {

class TensorDelegate : public widgets::TableDelegate {
    Q_OBJECT

public:
    TensorDelegate(const widgets::Theme& theme,
                   const models::TensorTreeModel& tensors,
                   QObject* parent = nullptr);

protected:
    void paintContent(QPainter& painter,
                      const QRect& box,
                      const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;

private:
    void paintName(QPainter& painter, const QRect& box, const QModelIndex& index) const;

    const models::TensorTreeModel& tensors_;
};

}  // namespace fl::panels
