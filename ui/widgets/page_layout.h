// SPDX-License-Identifier: GPL-3.0-or-later
// Pages of which one is seen. Only that one asks for room: an empty state that nobody sees keeps
// no dock from being made small.
#pragma once

#include <QStackedLayout>

namespace fl::widgets {

class PageLayout : public QStackedLayout {
    Q_OBJECT

public:
    explicit PageLayout(QWidget* parent = nullptr);

    QSize minimumSize() const override;
    bool hasHeightForWidth() const override;
    int heightForWidth(int width) const override;
};

}  // namespace fl::widgets
