// SPDX-License-Identifier: GPL-3.0-or-later
// What else the model might have said at one place: tokens with bars and probabilities.
#pragma once

#include <vector>

#include <QWidget>

#include "engine/protocol/messages.h"

namespace fl::widgets {
class Theme;
}

namespace fl::panels {

class AlternativesView : public QWidget {
    Q_OBJECT

public:
    AlternativesView(const widgets::Theme& theme,
                     const protocol::TokenInfo& token,
                     QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Row {
        QString text;
        double probability = 0;
        bool chosen = false;
    };

    const widgets::Theme& theme_;
    std::vector<Row> rows_;
};

}  // namespace fl::panels
