// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/dock.h"

#include <QAction>
#include <QBoxLayout>
#include <QCloseEvent>
#include <QMenu>

#include "ui/widgets/button.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/panel_header.h"

namespace fl::shell {

using widgets::Button;

Dock::Dock(const widgets::Theme& theme,
           const QString& id,
           QWidget* content,
           widgets::PanelHeader* header,
           QWidget* parent)
    : QDockWidget(parent),
      theme_(theme),
      content_(content),
      header_(header),
      menuButton_(new Button(theme, {}, Button::Kind::Quiet, Button::Size::Compact, header)),
      action_(new QAction(this)),
      toggle_(new QAction(this)) {
    setObjectName(id);
    setWindowTitle(content->accessibleName());
    setAllowedAreas(Qt::AllDockWidgetAreas);
    action_->setText(windowTitle());
    action_->setCheckable(true);
    action_->setChecked(true);
    connect(action_, &QAction::triggered, this, &Dock::setWanted);
    connect(toggle_, &QAction::triggered, this, [this] { setWanted(!wanted_); });
    menuButton_->setIconName(QStringLiteral("more"));
    menuButton_->setToolTip(tr("Move or close %1").arg(windowTitle()));
    menuButton_->setAccessibleName(menuButton_->toolTip());
    header->addRight(menuButton_);
    buildMenu();
    takeBack();
}

void Dock::buildMenu() {
    auto* menu = new QMenu(menuButton_);
    QAction* apart = menu->addAction(tr("In a window of its own"));
    apart->setCheckable(true);
    connect(apart, &QAction::triggered, this, &QDockWidget::setFloating);
    connect(this, &QDockWidget::topLevelChanged, apart, &QAction::setChecked);
    connect(menu->addAction(widgets::icon(theme_, QStringLiteral("close")), tr("Close")),
            &QAction::triggered, this, [this] { setWanted(false); });
    connect(menuButton_, &Button::clicked, menu, [this, menu] {
        menu->popup(menuButton_->mapToGlobal(QPoint(0, menuButton_->height() + 2)));
    });
}

void Dock::setWanted(bool wanted) {
    action_->setChecked(wanted);
    if (wanted != wanted_) {
        wanted_ = wanted;
        refresh();
        Q_EMIT wantedChanged(wanted);
    }
}

void Dock::setFolded(bool folded) {
    folded_ = folded;
    refresh();
}

void Dock::refresh() {
    toggle_->setText(
        (wanted_ ? tr("Close the %1 dock") : tr("Open the %1 dock")).arg(windowTitle()));
    setVisible(wanted_ && !folded_ && !released_);
}

QWidget* Dock::release() {
    released_ = true;
    menuButton_->hide();
    setTitleBarWidget(new QWidget(this));
    static_cast<QBoxLayout*>(content_->layout())->insertWidget(0, header_);
    header_->show();
    refresh();
    return content_;
}

void Dock::takeBack() {
    released_ = false;
    menuButton_->show();
    QWidget* before = titleBarWidget();
    setTitleBarWidget(header_);
    if (before != header_) {
        delete before;
    }
    setWidget(content_);
    content_->show();
    refresh();
}

void Dock::closeEvent(QCloseEvent* event) {
    event->accept();
    setWanted(false);
}

}  // namespace fl::shell
