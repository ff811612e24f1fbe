// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the tool bar and its menus.
#include "ui/shell/top_bar.h"

#include <algorithm>

#include <QAbstractButton>
#include <QAction>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>

#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/shell/actions.h"
#include "ui/shell/settings.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/key_cap.h"
#include "ui/widgets/paint.h"

namespace fl::shell {

using models::qt;
using widgets::Button;
using widgets::TextRole;
using widgets::Theme;
using widgets::Token;

namespace {

constexpr int kSearchWidth = 300;
constexpr int kLeastSearchWidth = 44;
// Narrower, Launch and Stop are their icons.
constexpr int kWordsFrom = 880;
// Everything but the three values, with and without these words.
constexpr int kOwnWidth = 620;
constexpr int kOwnWidthOfIcons = 510;

// Looks like a field and opens the palette, where the typing happens.
class SearchButton : public QAbstractButton {
public:
    SearchButton(const Theme& theme, const QAction& action, QWidget* parent)
        : QAbstractButton(parent),
          theme_(theme),
          keys_(action.shortcut().toString(QKeySequence::NativeText)) {
        setText(action.text());
        setToolTip(action.text());
        setAttribute(Qt::WA_Hover);
        setFocusPolicy(Qt::StrongFocus);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        setMaximumWidth(theme.px(kSearchWidth));
    }
    QSize sizeHint() const override { return {theme_.px(kSearchWidth), theme_.px(28)}; }
    QSize minimumSizeHint() const override { return {theme_.px(kLeastSearchWidth), theme_.px(28)}; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        widgets::paintBox(painter, rect(), theme_.color(underMouse() ? Token::Bg2 : Token::Bg1),
                          theme_.color(Token::Line2), theme_.px(4));
        const int icon = theme_.px(14);
        const QRectF box(theme_.px(9), (height() - icon) / 2, icon, icon);
        widgets::paintIcon(painter, box, QStringLiteral("search"), theme_.color(Token::T2));
        const QSize cap = widgets::keyCapSize(theme_, keys_);
        const int left = int(box.right()) + theme_.px(8);
        const int words = QFontMetrics(theme_.font(TextRole::Small)).horizontalAdvance(text());
        // Too narrow: first the key goes, then the words; the tool tip says both.
        if (width() < left + words + theme_.px(8)) {
            return;
        }
        painter.setFont(theme_.font(TextRole::Small));
        painter.setPen(theme_.color(Token::T3));
        painter.drawText(QRect(left, 0, words + 1, height()), Qt::AlignVCenter, text());
        if (width() < left + words + cap.width() + theme_.px(16)) {
            return;
        }
        const QPoint corner(width() - cap.width() - theme_.px(6), (height() - cap.height()) / 2);
        widgets::paintKeyCap(painter, QRect(corner, cap), keys_, theme_);
    }

private:
    const Theme& theme_;
    QString keys_;
};

}  // namespace

TopBar::TopBar(const Theme& theme,
               models::Models& models,
               const Actions& actions,
               const Settings& settings,
               QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      models_(models),
      actions_(actions),
      settings_(settings) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(theme.px(12), 0, theme.px(12), 1);
    row->setSpacing(theme.px(8));
    model_ = addMenu(tr("Model"), &TopBar::fillModels);
    cluster_ = addMenu(tr("Cluster"), &TopBar::fillClusters);
    plan_ = addMenu(tr("Plan"), &TopBar::fillPlans);
    row->addSpacing(theme.px(12));
    launch_ = addAction(int(Command::Launch));
    stop_ = addAction(int(Command::Stop));
    row->addStretch(1);
    QAction* palette = actions[Command::Palette];
    auto* search = new SearchButton(theme, *palette, this);
    connect(search, &QAbstractButton::clicked, palette, &QAction::trigger);
    search_ = search;
    row->addWidget(search, 4);
    views_ = new Button(theme, {}, Button::Kind::Quiet, Button::Size::Regular, this);
    views_->setIconName(QStringLiteral("placement"));
    views_->setToolTip(tr("Show and hide docks"));
    row->addWidget(views_);
    gear_ = new Button(theme, {}, Button::Kind::Quiet, Button::Size::Regular, this);
    gear_->setIconName(QStringLiteral("settings"));
    gear_->setToolTip(tr("Settings"));
    connect(gear_, &Button::clicked, actions[Command::Settings], &QAction::trigger);
    row->addWidget(gear_);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&models.plan, &models::PlanModel::changed, this, &TopBar::refresh);
    connect(&models.census, &models::CensusModel::changed, this, &TopBar::refresh);
    connect(&models, &models::Models::snapshotApplied, this, &TopBar::refresh);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    refresh();
}

QSize TopBar::sizeHint() const {
    return {theme_.px(800), theme_.px(44)};
}

Button* TopBar::addMenu(const QString& text, void (TopBar::*fill)(QMenu&)) {
    auto* button = new Button(theme_, text, Button::Kind::Normal, Button::Size::Regular, this);
    button->setDropDown(true);
    auto* menu = new QMenu(button);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, fill] {
        menu->clear();
        (this->*fill)(*menu);
    });
    connect(button, &Button::clicked, this,
            [button, menu] { menu->popup(button->mapToGlobal(QPoint(0, button->height() + 4))); });
    layout()->addWidget(button);
    return button;
}

Button* TopBar::addAction(int command) {
    QAction* action = actions_[static_cast<Command>(command)];
    auto* button =
        new Button(theme_, action->text(), Button::Kind::Normal, Button::Size::Regular, this);
    button->setIconName(command == int(Command::Launch) ? QStringLiteral("play")
                                                        : QStringLiteral("stop"));
    const auto follow = [button, action] {
        button->setBlocked(action->isEnabled() ? QString() : action->toolTip());
        if (action->isEnabled()) {
            button->setToolTip(QStringLiteral("%1 (%2)").arg(
                action->text(), action->shortcut().toString(QKeySequence::NativeText)));
        }
    };
    connect(action, &QAction::changed, button, follow);
    connect(button, &Button::clicked, action, &QAction::trigger);
    follow();
    layout()->addWidget(button);
    return button;
}

void TopBar::setViews(const std::vector<QAction*>& views) {
    auto* menu = new QMenu(views_);
    for (QAction* view : views) {
        menu->addAction(view);
    }
    menu->addSeparator();
    menu->addAction(actions_[Command::RestoreLayout]);
    connect(views_, &Button::clicked, menu,
            [this, menu] { menu->popup(views_->mapToGlobal(QPoint(0, views_->height() + 4))); });
}

void TopBar::setLaunchPrimary(bool primary) {
    launch_->setKind(primary ? Button::Kind::Primary : Button::Kind::Normal);
}

void TopBar::refresh() {
    const protocol::JobSettings& job = models_.settings;
    const QString path = qt(job.checkpoint);
    QString name = models_.census.empty() ? QString() : qt(models_.census.census().name);
    if (name.isEmpty()) {
        name = path.section(QLatin1Char('/'), -1, -1, QString::SectionSkipEmpty);
    }
    const bool words = width() >= theme_.px(kWordsFrom);
    const int room = width() - theme_.px(words ? kOwnWidth : kOwnWidthOfIcons);
    const auto fitted = [&](const QString& text, double share, int most) {
        const int width = std::clamp(int(room * share), theme_.px(30), theme_.px(most));
        return QFontMetrics(theme_.font(TextRole::Base)).elidedText(text, Qt::ElideMiddle, width);
    };
    for (const auto& [button, command] :
         {std::pair{launch_, Command::Launch}, {stop_, Command::Stop}}) {
        button->setText(words ? actions_[command]->text() : QString());
        button->setAccessibleName(actions_[command]->text());
        button->updateGeometry();
    }
    model_->setValue(name.isEmpty() ? tr("none") : fitted(name, 0.45, 180));
    model_->setToolTip(path);
    const QString cluster = path.isEmpty() ? settings_.cluster() : qt(job.cluster);
    cluster_->setValue(fitted(cluster.section(QLatin1Char('/'), -1), 0.3, 160));
    cluster_->setToolTip(cluster);
    plan_->setValue(models_.plan.empty() ? tr("none")
                                         : fitted(qt(models_.plan.plan().name), 0.25, 160));
}

void TopBar::fillModels(QMenu& menu) {
    for (const RecentModel& model : settings_.recent()) {
        const QString path = model.checkpoint;
        QAction* action = menu.addAction(model.name);
        action->setToolTip(path);
        connect(action, &QAction::triggered, this, [this, path] { Q_EMIT recentChosen(path); });
    }
    if (!menu.isEmpty()) {
        menu.addSeparator();
    }
    menu.addAction(actions_[Command::Open]);
    menu.addAction(actions_[Command::Demo]);
    menu.addAction(actions_[Command::Attach]);
}

void TopBar::fillClusters(QMenu& menu) {
    QStringList clusters{QStringLiteral("local"), settings_.cluster(),
                         qt(models_.settings.cluster)};
    clusters.removeDuplicates();
    clusters.removeAll(QString());
    const QString current =
        models_.settings.checkpoint.empty() ? settings_.cluster() : qt(models_.settings.cluster);
    for (const QString& cluster : clusters) {
        QAction* action = menu.addAction(cluster);
        action->setCheckable(true);
        action->setChecked(cluster == current);
        connect(action, &QAction::triggered, this,
                [this, cluster] { Q_EMIT clusterChosen(cluster); });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Another cluster…")), &QAction::triggered, this,
            &TopBar::clusterWanted);
}

void TopBar::fillPlans(QMenu& menu) {
    if (models_.plan.empty()) {
        menu.addAction(tr("No plan yet: open a checkpoint"))->setEnabled(false);
        return;
    }
    const protocol::PlanInfo& plan = models_.plan.plan();
    const auto add = [&](const protocol::MeshInfo& mesh, const QString& note) {
        QAction* action = menu.addAction(models::meshText(mesh) + QLatin1Char('\t') + note);
        action->setCheckable(true);
        action->setChecked(models::meshText(mesh) == models::meshText(plan.mesh));
        connect(action, &QAction::triggered, this,
                [this, mesh] { Q_EMIT meshChosen(mesh.tp, mesh.pp, mesh.ep, mesh.dp); });
    };
    constexpr std::size_t kMostPlans = 8;
    add(plan.mesh, tr("in use"));
    for (std::size_t i = 0; i < std::min(plan.alternatives.size(), kMostPlans); ++i) {
        const protocol::AlternativeInfo& other = plan.alternatives[i];
        if (models::meshText(other.mesh) != models::meshText(plan.mesh)) {
            add(other.mesh, models::bytesText(other.peakBytes));
        }
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Let the planner choose")), &QAction::triggered, this,
            [this] { Q_EMIT meshChosen(0, 0, 0, 0); });
}

void TopBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    refresh();
    layout()->activate();
}

void TopBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(Token::Bg2));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme_.color(Token::Line));
}

}  // namespace fl::shell
