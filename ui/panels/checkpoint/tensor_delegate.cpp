// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/checkpoint/tensor_delegate.h"

#include <QPainter>

#include "ui/models/tensor_tree_model.h"
#include "ui/models/text.h"

namespace fl::panels {

using models::TensorTreeModel;
using widgets::TextRole;
using widgets::Token;

namespace {

// What is wrong with a tensor in this state of the contract; empty: nothing.
QString faultText(const QString& contract) {
    if (contract == QLatin1String("missing"))
        return TensorDelegate::tr("missing");
    if (contract == QLatin1String("unexpected"))
        return TensorDelegate::tr("unexpected");
    if (contract == QLatin1String("wrong-shape"))
        return TensorDelegate::tr("wrong shape");
    return contract == QLatin1String("wrong-type") ? TensorDelegate::tr("wrong type") : QString();
}

}  // namespace

TensorDelegate::TensorDelegate(const widgets::Theme& theme,
                               const TensorTreeModel& tensors,
                               QObject* parent)
    : TableDelegate(theme, parent),
      tensors_(tensors) {}

void TensorDelegate::paintContent(QPainter& painter,
                                  const QRect& box,
                                  const QStyleOptionViewItem&,
                                  const QModelIndex& index) const {
    if (index.column() == TensorTreeModel::NameColumn) {
        paintName(painter, box, index);
        return;
    }
    const bool mono = index.column() == TensorTreeModel::TypeColumn;
    painter.setFont(theme().font(mono ? TextRole::Mono : TextRole::Small));
    const bool main = index.column() == TensorTreeModel::BytesColumn;
    painter.setPen(theme().color(main                                             ? Token::T1
                                 : index.column() == TensorTreeModel::ShardColumn ? Token::T3
                                                                                  : Token::T2));
    const int side = index.data(Qt::TextAlignmentRole).toInt() & int(Qt::AlignHorizontal_Mask);
    painter.drawText(box, side | Qt::AlignVCenter, index.data().toString());
}

void TensorDelegate::paintName(QPainter& painter,
                               const QRect& box,
                               const QModelIndex& index) const {
    painter.setFont(theme().font(TextRole::Mono));
    const QFontMetrics metrics = painter.fontMetrics();
    const QString name = index.data().toString();
    const QString shown = metrics.elidedText(name, Qt::ElideMiddle, box.width());
    const bool leaf = !index.model()->hasChildren(index);
    const bool ignored = index.data(TensorTreeModel::IgnoredRole).toBool();
    const QString contract =
        leaf ? index.data(TensorTreeModel::ContractRole).toString() : QString();
    const QString fault = faultText(contract);
    const bool bad = !fault.isEmpty();
    const bool hit = index.data(TensorTreeModel::HitRole).toBool() && shown == name;
    painter.setPen(theme().color(bad ? Token::Err : ignored ? Token::T3 : Token::T1));
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, shown);
    for (std::size_t i = 0; hit && i < tensors_.words().size(); ++i) {
        const QString word = models::qt(tensors_.words()[i]);
        const qsizetype at = name.indexOf(word, 0, Qt::CaseInsensitive);
        if (at < 0)
            continue;
        const QRect mark(box.left() + metrics.horizontalAdvance(name.left(at)),
                         box.center().y() - metrics.height() / 2,
                         metrics.horizontalAdvance(name.mid(at, word.size())),
                         metrics.height() + 1);
        painter.fillRect(mark, theme().color(Token::WarnBg));
        painter.setPen(theme().color(Token::Warn));
        painter.drawText(QRect(mark.left(), box.top(), mark.width() + 2, box.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, name.mid(at, word.size()));
    }
    QString note = index.data(TensorTreeModel::NoteRole).toString();
    if (bad)
        note = fault;
    if (note.isEmpty())
        return;
    painter.setPen(theme().color(bad ? Token::Err : Token::T3));
    painter.drawText(box.adjusted(metrics.horizontalAdvance(shown) + theme().px(8), 0, 0, 0),
                     Qt::AlignLeft | Qt::AlignVCenter, note);
}

}  // namespace fl::panels
