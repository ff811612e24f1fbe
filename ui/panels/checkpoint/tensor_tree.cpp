// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/checkpoint/tensor_tree.h"

#include <QPainter>

#include "ui/widgets/icons.h"

namespace fl::panels {

using widgets::Token;

namespace {
constexpr int kChevron = 12;
}

TensorTree::TensorTree(const widgets::Theme& theme, QWidget* parent)
    : QTreeView(parent),
      theme_(theme) {}

void TensorTree::drawBranches(QPainter* painter,
                              const QRect& rect,
                              const QModelIndex& index) const {
    const QVariant hovered = property("hoveredRow");
    const bool hover = hovered.isValid() && hovered.value<QPersistentModelIndex>() == index;
    const bool selected = selectionModel()->isSelected(index);
    painter->fillRect(rect, theme_.color(selected ? Token::AccentBg
                                         : hover  ? Token::Bg2
                                                  : Token::Bg1));
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1),
                      theme_.color(Token::Line));
    if (!model()->hasChildren(index))
        return;
    const int size = theme_.px(kChevron);
    const QRectF box(rect.right() - size + 1, rect.center().y() - size / 2, size, size);
    widgets::paintIcon(
        *painter, box,
        isExpanded(index) ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"),
        theme_.color(Token::T3));
}

}  // namespace fl::panels
