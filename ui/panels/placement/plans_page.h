// SPDX-License-Identifier: GPL-3.0-or-later
// Other plans: the nearest legal ones, and those that were kept by name.
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
}

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
    void fitColumns();

signals:
    // One click tries a plan; nothing happens to the ranks.
    void meshChosen(const fl::protocol::MeshInfo& mesh);
    void savedChosen(const fl::protocol::SavedPlan& plan);
    void saveRequested(const QString& name);
    void forgetRequested(const QString& name);
    void compareRequested(const QString& name);

private:
    QWidget* buildSaved();
    void showButtons();
    QString chosenName() const;  // of a saved plan; empty: none

    const widgets::Theme& theme_;
    models::PlanModel& plans_;
    models::SavedPlanModel& saved_;
    QTableView* alternatives_ = nullptr;
    QTableView* kept_ = nullptr;
    QLineEdit* name_ = nullptr;
    widgets::Button* save_ = nullptr;
    widgets::Button* compare_ = nullptr;
    widgets::Button* forget_ = nullptr;
};

}  // namespace fl::panels
