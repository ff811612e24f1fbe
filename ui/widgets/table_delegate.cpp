// SPDX-License-Identifier: GPL-3.0-or-later
// Draws table cells.
#include "ui/widgets/table_delegate.h"

#include <algorithm>

#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QTableView>
#include <QTreeView>

#include "ui/widgets/icons.h"
#include "ui/widgets/paint.h"

namespace fl::widgets {

namespace {

// Rows are hovered as a whole, cells are what Qt reports: the view remembers the row.
class RowHover : public QObject {
public:
    explicit RowHover(QAbstractItemView* view) : QObject(view), view_(view) {
        view->viewport()->installEventFilter(this);
        view->viewport()->setMouseTracking(true);
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::MouseMove) {
            show(view_->indexAt(static_cast<QMouseEvent*>(event)->pos()));
        } else if (event->type() == QEvent::Leave) {
            show({});
        }
        return QObject::eventFilter(watched, event);
    }

private:
    void show(const QModelIndex& index) {
        const QModelIndex row = index.siblingAtColumn(0);
        if (row != row_) {
            row_ = row;
            view_->setProperty("hoveredRow", QVariant::fromValue(row_));
            view_->viewport()->update();
        }
    }
    QAbstractItemView* view_;
    QPersistentModelIndex row_;
};

bool hovered(const QStyleOptionViewItem& option, const QModelIndex& index) {
    const QVariant row = option.widget ? option.widget->property("hoveredRow") : QVariant();
    return row.isValid() && row.value<QPersistentModelIndex>() == index.siblingAtColumn(0);
}

void styleView(const Theme& theme, QAbstractItemView* view, TableDelegate* delegate) {
    view->setItemDelegate(delegate);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setProperty("ringInside", true);
    new RowHover(view);  // owned by the view
    QObject::connect(&theme, &Theme::changed, view, [view] { view->viewport()->update(); });
}

void styleHeader(const Theme& theme, QHeaderView* header) {
    header->setFont(theme.font(TextRole::SmallStrong));
    header->setHighlightSections(false);
    header->setSectionsClickable(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setFixedHeight(theme.px(26));
    header->setMinimumSectionSize(theme.px(32));
}

}  // namespace

TableDelegate::TableDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent),
      theme_(theme) {}

QSize TableDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const bool mono = index.data(kMonoRole).toBool();
    const QFontMetrics metrics(theme_.font(mono ? TextRole::Mono : TextRole::Small));
    const int text = metrics.horizontalAdvance(index.data().toString());
    const int icon = index.data(kStateRole).isValid() ? theme_.px(18) : 0;
    return {text + icon + theme_.px(24), theme_.px(rowHeight_)};
}

void TableDelegate::paint(QPainter* painter,
                          const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    painter->save();
    const QRect cell = option.rect;
    if (option.state & QStyle::State_Selected) {
        painter->fillRect(cell, theme_.color(Token::AccentBg));
    } else if (hovered(option, index)) {
        painter->fillRect(cell, theme_.color(Token::Bg2));
    } else if (const QColor own = ground(index); own.isValid()) {
        painter->fillRect(cell, own);
    }
    painter->fillRect(QRect(cell.left(), cell.bottom(), cell.width(), 1),
                      theme_.color(Token::Line));
    const bool first = index.column() == 0 && !qobject_cast<const QTreeView*>(option.widget);
    const int left = theme_.px(first || index.column() > 0 ? 12 : 4);
    paintContent(*painter, cell.adjusted(left, 0, -theme_.px(12), -1), option, index);
    const bool focus = (option.state & QStyle::State_HasFocus) && option.widget &&
                       option.widget->property("keyboardFocus").toBool();
    if (focus) {
        paintBox(*painter, QRectF(cell), QColor(), theme_.color(Token::Accent), 0, 2);
    }
    painter->restore();
}

QColor TableDelegate::ground(const QModelIndex&) const {
    return {};
}

void TableDelegate::paintContent(QPainter& painter,
                                 const QRect& box,
                                 const QStyleOptionViewItem&,
                                 const QModelIndex& index) const {
    const QVariant bar = index.data(kBarRole);
    if (bar.isValid()) {
        const int high = theme_.px(6);
        paintBar(painter, QRectF(box.left(), box.center().y() - high / 2, box.width(), high),
                 theme_.color(Token::Bg4), theme_.color(Token::Accent), bar.toDouble());
        return;
    }
    QRect rest = box;
    const QVariant word = index.data(kStateRole);
    if (word.isValid()) {
        const int size = theme_.px(14);
        paintState(painter, QRectF(box.left(), box.center().y() - size / 2, size, size),
                   stateFromWord(word.toString()), theme_);
        rest.setLeft(box.left() + size + theme_.px(4));
    } else if (!index.data(Qt::DecorationRole).isNull()) {
        const int size = theme_.px(16);
        index.data(Qt::DecorationRole)
            .value<QIcon>()
            .paint(&painter, QRect(box.left(), box.center().y() - size / 2, size, size));
        rest.setLeft(box.left() + size + theme_.px(6));
    }
    paintText(painter, rest, index);
}

void TableDelegate::paintText(QPainter& painter, const QRect& box, const QModelIndex& index) const {
    const bool mono = index.data(kMonoRole).toBool();
    const bool strong = index.data(kStrongRole).toBool();
    painter.setFont(theme_.font(mono     ? TextRole::Mono
                                : strong ? TextRole::SmallStrong
                                         : TextRole::Small));
    Token color = Token::T1;
    const QVariant word = index.data(kStateRole);
    if (index.data(kColorRole).isValid()) {
        color = static_cast<Token>(index.data(kColorRole).toInt());
    } else if (word.isValid()) {
        const State state = stateFromWord(word.toString());
        color = state == State::Idle || state == State::Note ? Token::T2 : stateColor(state);
    }
    const QVariant given = index.data(Qt::TextAlignmentRole);
    const int alignment =
        (given.isValid() ? given.toInt() : int(Qt::AlignLeft)) & int(Qt::AlignHorizontal_Mask);
    const QString text = index.data().toString();
    const QString hit = index.data(kHitRole).toString();
    const QFontMetrics metrics = painter.fontMetrics();
    const qsizetype at = hit.isEmpty() ? -1 : text.indexOf(hit, 0, Qt::CaseInsensitive);
    if (at >= 0 && metrics.horizontalAdvance(text) <= box.width()) {
        const int from = box.left() + metrics.horizontalAdvance(text.left(at));
        const int wide = metrics.horizontalAdvance(text.mid(at, hit.size()));
        painter.fillRect(
            QRect(from, box.center().y() - metrics.height() / 2, wide, metrics.height()),
            theme_.color(Token::WarnBg));
        paintLine(painter, box, text, theme_.color(color), Qt::AlignLeft | Qt::AlignVCenter);
        painter.setClipRect(QRect(from, box.top(), wide, box.height()));
        color = Token::Warn;
    }
    paintLine(painter, box, text, theme_.color(color), alignment | Qt::AlignVCenter);
}

TableDelegate* styleTable(const Theme& theme, QTableView* view) {
    auto* delegate = new TableDelegate(theme, view);
    styleView(theme, view, delegate);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(theme.px(26));
    view->verticalHeader()->setMinimumSectionSize(theme.px(20));
    view->setTabKeyNavigation(false);
    styleHeader(theme, view->horizontalHeader());
    view->horizontalHeader()->setStretchLastSection(true);
    return delegate;
}

TableDelegate* styleTree(const Theme& theme, QTreeView* view) {
    auto* delegate = new TableDelegate(theme, view);
    styleView(theme, view, delegate);
    view->setIndentation(theme.px(16));
    view->setUniformRowHeights(true);
    view->setAllColumnsShowFocus(true);
    styleHeader(theme, view->header());
    return delegate;
}

}  // namespace fl::widgets
