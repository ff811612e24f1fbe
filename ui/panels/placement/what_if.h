// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of a plan to try: a proposal is made, looked at, changed, and only then used.
#pragma once

#include <QTimer>
#include <QWidget>

#include "engine/protocol/messages.h"
#include "ui/widgets/theme.h"

class QComboBox;
class QSpinBox;
class QScrollArea;

namespace fl::widgets {
class Badge;
class Button;
class MessageStrip;
class TextLabel;
class WhatIfRow;
}  // namespace fl::widgets

namespace fl::panels {

class LogSlider;
class ViolationList;

class WhatIf : public QWidget {
    Q_OBJECT

public:
    explicit WhatIf(const widgets::Theme& theme, QWidget* parent = nullptr);

    // The plan in use and the settings that made it; the numbers go back to them.
    void setPlan(const protocol::PlanInfo& plan, const protocol::JobSettings& settings, int cards);
    // The longest context that the model was made for; 0: not known.
    void setModelContext(std::int64_t tokens);
    // The answer to the last proposal; null: the plan in use is shown.
    void setAnswer(const protocol::PlanInfo* answer);
    void setFailure(const QString& reason);
    // How many ranks run now: using another plan stops them.
    void setRunning(int ranks);
    // Takes over what was kept: everything that a plan is made of, from these settings.
    void setSettings(const protocol::JobSettings& settings);

    // Takes over a plan of a list: its numbers and its order of ranks.
    void setPlanned(const fl::protocol::AlternativeInfo& plan);

    // The settings as the numbers stand now.
    protocol::JobSettings settings() const;
    void setStageLayers(const std::vector<int>& layers);
    void setNumber(const QString& key, int value);  // "tp", 3
    void setOrder(const QString& order);            // of ranks on devices, "pp,tp,dp"

signals:
    void proposed(const fl::protocol::JobSettings& settings);
    void useRequested(const fl::protocol::JobSettings& settings);
    void discarded();

private:
    void buildUi();
    QWidget* buildProposal();
    QWidget* buildNumbers();
    QSpinBox* addField(QWidget* box, const QString& name, int most, LogSlider** slider);
    void addKv(QWidget* box);
    void setKv(const std::string& kv);
    QWidget* buildFooter();
    void change();
    void fillRows();
    void showVerdict();
    void showButtons(bool bad);
    QString verdictText(bool waits, bool bad) const;
    void use();
    std::vector<int> choices(const std::vector<int>& legal, int inUse, int current) const;

    const widgets::Theme& theme_;
    widgets::Badge* badge_ = nullptr;
    widgets::WhatIfRow* rows_[4] = {};
    QSpinBox* context_ = nullptr;
    QSpinBox* sequences_ = nullptr;
    LogSlider* contextSlider_ = nullptr;
    LogSlider* sequencesSlider_ = nullptr;
    QComboBox* kv_ = nullptr;
    widgets::TextLabel* verdict_ = nullptr;
    ViolationList* violations_ = nullptr;
    widgets::Button* use_ = nullptr;
    widgets::Button* discard_ = nullptr;
    QTimer soon_;
    protocol::JobSettings base_;
    protocol::PlanInfo plan_;
    protocol::PlanInfo answer_;
    bool hasAnswer_ = false;
    bool changed_ = false;
    bool confirming_ = false;
    bool waiting_ = false;  // for the answer to what the numbers say now
    int cards_ = 0;
    int running_ = 0;
    std::vector<int> stageLayers_;
    std::string order_;
};

}  // namespace fl::panels
