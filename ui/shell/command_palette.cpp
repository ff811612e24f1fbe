// SPDX-License-Identifier: GPL-3.0-or-later
// Filters actions and runs the chosen one.
#include "ui/shell/command_palette.h"

#include <algorithm>

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QPointer>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/widgets/icons.h"
#include "ui/widgets/key_cap.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/theme_style.h"

namespace fl::shell {

using widgets::TextRole;
using widgets::Theme;
using widgets::Token;

namespace {

constexpr int kWidth = 560;
constexpr int kRowHeight = 32;
constexpr int kMostRows = 10;
enum Role { kIndexRole = Qt::UserRole, kKeysRole, kReasonRole };

class RowDelegate : public QStyledItemDelegate {
public:
    RowDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {theme_.px(200), theme_.px(kRowHeight)};
    }
    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const QRect row = option.rect;
        if (option.state & QStyle::State_Selected) {
            painter->fillRect(row, theme_.color(Token::AccentBg));
        }
        const QString reason = index.data(kReasonRole).toString();
        const QString keys = index.data(kKeysRole).toString();
        const int icon = theme_.px(16);
        const QRect box(row.left() + theme_.px(12), row.center().y() - icon / 2, icon, icon);
        index.data(Qt::DecorationRole)
            .value<QIcon>()
            .paint(painter, box, Qt::AlignCenter,
                   reason.isEmpty() ? QIcon::Normal : QIcon::Disabled);
        int right = row.right() - theme_.px(12);
        if (!keys.isEmpty()) {
            const QSize size = widgets::keyCapSize(theme_, keys);
            right -= size.width();
            widgets::paintKeyCap(*painter,
                                 QRect(QPoint(right, row.center().y() - size.height() / 2), size),
                                 keys, theme_);
            right -= theme_.px(8);
        }
        const int left = box.right() + theme_.px(10);
        painter->setFont(theme_.font(TextRole::Base));
        const QString words = index.data().toString();
        const int wide =
            widgets::paintLine(*painter, QRectF(left, row.top(), right - left, row.height()), words,
                               theme_.color(reason.isEmpty() ? Token::T1 : Token::T3),
                               Qt::AlignLeft | Qt::AlignVCenter);
        painter->setFont(theme_.font(TextRole::Small));
        const int from = left + wide + theme_.px(12);
        widgets::paintLine(*painter, QRectF(from, row.top(), right - from, row.height()), reason,
                           theme_.color(Token::T3), Qt::AlignLeft | Qt::AlignVCenter);
    }

private:
    const Theme& theme_;
};

}  // namespace

int fuzzyScore(const QString& pattern, const QString& text) {
    int score = 0;
    qsizetype last = -1;
    for (const QChar letter : pattern) {
        if (letter.isSpace()) {
            continue;
        }
        const qsizetype at = text.indexOf(letter, last + 1, Qt::CaseInsensitive);
        if (at < 0) {
            return -1;
        }
        const bool begins = at == 0 || !text[at - 1].isLetterOrNumber();
        score += at == last + 1 ? 8 : 1;
        score += begins ? 6 : 0;
        last = at;
    }
    return score;
}

CommandPalette::CommandPalette(const Theme& theme, QWidget* window)
    : QWidget(window),
      theme_(theme) {
    field_ = new QLineEdit(this);
    field_->setPlaceholderText(tr("Search or run a command"));
    field_->setFixedHeight(theme.px(32));
    list_ = new QListView(this);
    list_->setAccessibleName(tr("Commands"));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setUniformItemSizes(true);
    widgets::clearGround(*list_);
    list_->setItemDelegate(new RowDelegate(theme, list_));
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    rows_ = new QStandardItemModel(this);
    list_->setModel(rows_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme.px(8), theme.px(8), theme.px(8), theme.px(8));
    column->setSpacing(theme.px(6));
    column->addWidget(field_);
    column->addWidget(list_);
    field_->installEventFilter(this);
    connect(field_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(list_, &QListView::clicked, this,
            [this](const QModelIndex& index) { run(index.row()); });
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    hide();
}

void CommandPalette::open(const std::vector<QAction*>& actions) {
    actions_ = actions;
    before_ = window()->focusWidget();
    field_->clear();
    filter({});
    const QWidget* host = parentWidget();
    const int wide = std::min(theme_.px(kWidth), host->width() - theme_.px(32));
    const int room = (host->height() - theme_.px(120)) / theme_.px(kRowHeight);
    list_->setFixedHeight(theme_.px(kRowHeight) * std::clamp(room, 3, kMostRows));
    setGeometry((host->width() - wide) / 2, theme_.px(56), wide, sizeHint().height());
    show();
    raise();
    field_->setFocus(Qt::ShortcutFocusReason);
}

QStringList CommandPalette::shown() const {
    QStringList words;
    for (int i = 0; i < rows_->rowCount(); ++i) {
        words << rows_->item(i)->text();
    }
    return words;
}

void CommandPalette::filter(const QString& pattern) {
    std::vector<std::pair<int, std::size_t>> order;
    for (std::size_t i = 0; i < actions_.size(); ++i) {
        const int score = fuzzyScore(pattern, actions_[i]->text().remove(QLatin1Char('&')));
        if (score >= 0) {
            order.emplace_back(-score, i);
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    rows_->clear();
    for (const auto& [score, i] : order) {
        const QAction* action = actions_[i];
        auto* item = new QStandardItem(action->icon(), action->text().remove(QLatin1Char('&')));
        item->setData(int(i), kIndexRole);
        item->setData(action->shortcut().toString(QKeySequence::NativeText), kKeysRole);
        item->setData(action->isEnabled() ? QString() : action->toolTip(), kReasonRole);
        rows_->appendRow(item);
    }
    list_->setCurrentIndex(rows_->index(0, 0));
}

void CommandPalette::move(int step) {
    const int count = rows_->rowCount();
    if (count > 0) {
        const int row = (list_->currentIndex().row() + step + count) % count;
        list_->setCurrentIndex(rows_->index(row, 0));
    }
}

void CommandPalette::run(int row) {
    if (row < 0 || row >= rows_->rowCount()) {
        return;
    }
    QAction* action = actions_[std::size_t(rows_->item(row)->data(kIndexRole).toInt())];
    if (!action->isEnabled()) {
        return;
    }
    close();
    action->trigger();
}

void CommandPalette::close() {
    hide();
    if (before_ && window()->isAncestorOf(before_)) {
        before_->setFocus(Qt::OtherFocusReason);
    }
    before_ = nullptr;
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == field_ && event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
            case Qt::Key_Down:
                move(1);
                return true;
            case Qt::Key_Up:
                move(-1);
                return true;
            case Qt::Key_Return:
            case Qt::Key_Enter:
                run(list_->currentIndex().row());
                return true;
            case Qt::Key_Escape:
                close();
                return true;
            default:
                return false;
        }
    }
    if (watched == field_ && event->type() == QEvent::FocusOut && isVisible()) {
        before_ = nullptr;
        hide();
    }
    return false;
}

void CommandPalette::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    widgets::paintBox(painter, rect(), theme_.color(Token::Bg2), theme_.color(Token::Line2),
                      theme_.px(6));
}

}  // namespace fl::shell
