// SPDX-License-Identifier: GPL-3.0-or-later
// The line at the bottom: engine, ranks, rate, memory, plan; alerts at the right.
#pragma once

#include <vector>

#include <QTimer>
#include <QWidget>

#include "ui/widgets/theme.h"

namespace fl::client {
class EngineClient;
}
namespace fl::models {
struct Models;
}

namespace fl::shell {

class StatusLine : public QWidget {
    Q_OBJECT

public:
    StatusLine(const widgets::Theme& theme,
               models::Models& models,
               const client::EngineClient& client,
               QWidget* parent = nullptr);

    QString text() const;  // all of it, for tests and assistive tools
    // No host names: the room sees the screen.
    void setPresenting(bool presenting);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Part {
        QString words;
        widgets::Token color = widgets::Token::T2;
    };
    void refresh();
    void addEngine();
    void addLive();
    void addPlan();
    void addAlerts();

    const widgets::Theme& theme_;
    models::Models& models_;
    const client::EngineClient& client_;
    QTimer timer_;
    std::vector<Part> left_;
    std::vector<Part> right_;
    widgets::Token dot_ = widgets::Token::T3;
    bool presenting_ = false;
};

}  // namespace fl::shell
