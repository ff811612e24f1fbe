// SPDX-License-Identifier: GPL-3.0-or-later
// Two plans beside each other: which ones, how many properties differ, and each with its distance.
#pragma once

#include <QWidget>

#include "ui/models/plan_compare_model.h"
#include "ui/widgets/theme.h"

class QComboBox;
class QTableView;

namespace fl::widgets {
class TextLabel;
}

namespace fl::panels {

class CompareView : public QWidget {
    Q_OBJECT

public:
    explicit CompareView(const widgets::Theme& theme, QWidget* parent = nullptr);

    // Names of all plans there are, the one in use first; what was chosen stays chosen where it
    // can.
    void setChoices(const QStringList& names);
    void choose(const QString& first, const QString& second);
    QString first() const;
    QString second() const;
    void show(const protocol::PlanInfo& first, const protocol::PlanInfo& second);
    // One of them is not known yet, or cannot be.
    void showNothing(const QString& reason);
    const models::PlanCompareModel& model() const { return model_; }

signals:
    void chosen();  // by the user

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QComboBox* addCombo(const QString& name);

    const widgets::Theme& theme_;
    models::PlanCompareModel model_;
    QComboBox* first_ = nullptr;
    QComboBox* second_ = nullptr;
    widgets::TextLabel* verdict_ = nullptr;
    QTableView* table_ = nullptr;
    bool picked_ = false;
};

}  // namespace fl::panels
