// SPDX-License-Identifier: GPL-3.0-or-later
// One line of the log: time, who, category, text; errors on their tint.
#pragma once

#include <QStyledItemDelegate>

#include "ui/widgets/theme.h"

namespace fl::panels {

class LogDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    explicit LogDelegate(const widgets::Theme& theme, QObject* parent = nullptr);

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const widgets::Theme& theme_;
};

}  // namespace fl::panels
