// SPDX-License-Identifier: GPL-3.0-or-later
// A tree whose hairlines, hover and selection run across the whole row, indentation included.
#pragma once

#include <QTreeView>

#include "ui/widgets/theme.h"

namespace fl::panels {

class TensorTree : public QTreeView {
    Q_OBJECT

public:
    explicit TensorTree(const widgets::Theme& theme, QWidget* parent = nullptr);

protected:
    void drawBranches(QPainter* painter,
                      const QRect& rect,
                      const QModelIndex& index) const override;

private:
    const widgets::Theme& theme_;
};

}  // namespace fl::panels
