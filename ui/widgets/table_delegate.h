// SPDX-License-Identifier: GPL-3.0-or-later
// How tables and trees are drawn: a hairline under each row, numbers right, names that are too
// long lose their middle, states as icon and word.
#pragma once

#include <QColor>
#include <QStyledItemDelegate>

#include "ui/widgets/theme.h"

class QAbstractItemView;
class QTableView;
class QTreeView;

namespace fl::widgets {

// Roles a model may answer beside the usual ones. Qt::TextAlignmentRole is honoured.
enum TableRole {
    kStateRole = Qt::UserRole + 100,  // word of a state (stateFromWord): icon and colour
    kColorRole,                       // int(Token) of the text
    kMonoRole,                        // true: name of a tensor, file or kernel
    kStrongRole,                      // true: 500
    kHitRole,                         // text to mark as a search hit
    kBarRole                          // 0 … 1: a progress bar instead of text
};

class TableDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    explicit TableDelegate(const Theme& theme, QObject* parent = nullptr);

    void setRowHeight(int pixels) { rowHeight_ = pixels; }  // 26; 30 where a row holds a chart

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    // The cell's content inside `box`, for delegates with cells of their own.
    virtual void paintContent(QPainter& painter,
                              const QRect& box,
                              const QStyleOptionViewItem& option,
                              const QModelIndex& index) const;
    // Ground of a row that stands out; no colour: the view's own.
    virtual QColor ground(const QModelIndex& index) const;
    const Theme& theme() const { return theme_; }

private:
    void paintText(QPainter& painter, const QRect& box, const QModelIndex& index) const;

    const Theme& theme_;
    int rowHeight_ = 26;
};

// Sets everything a table or tree needs once: delegate, header, row height, hover, focus ring
// inside, no grid. Returns the delegate.
TableDelegate* styleTable(const Theme& theme, QTableView* view);
TableDelegate* styleTree(const Theme& theme, QTreeView* view);

}  // namespace fl::widgets
