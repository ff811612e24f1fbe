// SPDX-License-Identifier: GPL-3.0-or-later
// All ranks' lines merged by time, filtered; it follows the end until scrolled up.
#pragma once

#include <QTimer>

#include "ui/models/log_filter_model.h"
#include "ui/panels/panel.h"

class QComboBox;
class QLineEdit;
class QListView;

namespace fl::widgets {
class Button;
class PageLayout;
class PanelHeader;
}  // namespace fl::widgets

namespace fl::panels {

class LogPanel : public Panel {
    Q_OBJECT

public:
    explicit LogPanel(const PanelContext& context, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("log"); }
    QString title() const override { return tr("Log"); }
    QString iconName() const override { return QStringLiteral("log"); }
    PanelPlace place() const override { return PanelPlace::BottomRight; }
    widgets::PanelHeader* header() const override { return header_; }
    void reveal(const QString& what) override;  // "rank 3"

    const models::LogFilterModel& shown() const { return filter_; }
    bool isFollowing() const { return following_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildUi();
    void buildFilters();
    void addActions();
    void refreshRanks();
    void refresh();
    void showFirstError();
    void copy() const;

    const widgets::Theme& theme_;
    models::Models& models_;
    models::LogFilterModel filter_;
    widgets::PanelHeader* header_ = nullptr;
    widgets::Button* pin_ = nullptr;
    widgets::Button* live_ = nullptr;
    QComboBox* ranks_ = nullptr;
    QComboBox* levels_ = nullptr;
    QLineEdit* words_ = nullptr;
    widgets::PageLayout* stack_ = nullptr;
    QListView* list_ = nullptr;
    QTimer soon_;
    int knownRanks_ = -1;
    bool following_ = true;
};

}  // namespace fl::panels
