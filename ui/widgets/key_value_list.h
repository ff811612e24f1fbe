// SPDX-License-Identifier: GPL-3.0-or-later
// Keys at the left, values at the right, one row of 18 pixels each.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/widgets/state.h"
#include "ui/widgets/theme.h"

namespace fl::widgets {

struct KeyValue {
    QString key;
    QString value;
    State state = State::Idle;  // Failed, Warning …: value in that colour with its icon
};

class KeyValueList : public QWidget {
    Q_OBJECT

public:
    explicit KeyValueList(const Theme& theme, QWidget* parent = nullptr);

    void setRows(std::vector<KeyValue> rows);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
    std::vector<KeyValue> rows_;
};

}  // namespace fl::widgets
