// SPDX-License-Identifier: GPL-3.0-or-later
// The rules that a proposal breaks, each with the values that would be legal.
#pragma once

#include <string>
#include <vector>

#include <QWidget>

#include "engine/base/finding.h"
#include "ui/widgets/theme.h"

class QBoxLayout;

namespace fl::panels {

// Whole numbers of a list like "1, 3 or 9"; empty if the text says something else.
std::vector<int> legalValues(const QString& expected);

class ViolationList : public QWidget {
    Q_OBJECT

public:
    explicit ViolationList(const widgets::Theme& theme, QWidget* parent = nullptr);

    void setFindings(const std::vector<fl::Finding>& findings);

signals:
    void valueChosen(const QString& key, int value);  // "tp", 3

private:
    QWidget* makeRow(const fl::Finding& finding);
    QWidget* makeChips(const QString& key, const std::vector<int>& values);

    const widgets::Theme& theme_;
    QBoxLayout* rows_;
    std::vector<std::string> shown_;
};

}  // namespace fl::panels
