// SPDX-License-Identifier: GPL-3.0-or-later
// Other plans: the best legal ones, as far as a search has come, and those that were kept by name.
#pragma once

#include <QWidget>

#include "engine/protocol/messages.h"
#include "ui/widgets/theme.h"

class QLineEdit;
class QTableView;

namespace fl::models {
class PlanModel;
class SavedPlanModel;
}  // namespace fl::models
namespace fl::widgets {
class Button;
class ProgressBar;
class TextLabel;
}  // namespace fl::widgets

namespace fl::panels {

class PlansPage : public QWidget {
    Q_OBJECT

public:
    PlansPage(const widgets::Theme& theme,
              models::PlanModel& plans,
              models::SavedPlanModel& saved,
              QWidget* parent = nullptr);

    // What a plan is called unless the user says otherwise.
    void setSuggestedName(QString name);

signals:
    void searchRequested();
    void searchCancelled();
    // One click tries a plan; nothing happens to the ranks.
    void planChosen(const fl::protocol::AlternativeInfo& plan);
    void savedChosen(const fl::protocol::SavedPlan& plan);
    void saveRequested(const QString& name);
    void forgetRequested(const QString& name);
    void compareRequested(const QString& name);

private:
    QWidget* buildSearch();
    QWidget* buildSaved();
    void showSearch();
    void showButtons();
    QString chosenName() const;  // of a saved plan; empty: none

    const widgets::Theme& theme_;
    models::PlanModel& plans_;
    models::SavedPlanModel& saved_;
    widgets::Button* search_ = nullptr;
    widgets::TextLabel* found_ = nullptr;
    widgets::ProgressBar* progress_ = nullptr;
    QTableView* alternatives_ = nullptr;
    QTableView* kept_ = nullptr;
    QLineEdit* name_ = nullptr;
    widgets::Button* save_ = nullptr;
    widgets::Button* load_ = nullptr;
    widgets::Button* compare_ = nullptr;
    widgets::Button* forget_ = nullptr;
};

}  // namespace fl::panels
