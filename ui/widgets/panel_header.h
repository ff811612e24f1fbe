// SPDX-License-Identifier: GPL-3.0-or-later
// The line of 32 pixels at the top of a panel: title, its unit or subject, legend and controls at
// the right, a hairline below.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/widgets/theme.h"

class QBoxLayout;

namespace fl::widgets {

class TextLabel;

struct LegendEntry {
    QString name;
    int series = 0;     // 0: link; −1: planned (bg3)
    bool line = false;  // a short line instead of a square
    bool dashed = false;
};

// Up to five entries; more belong at the ends of their lines.
class Legend : public QWidget {
    Q_OBJECT

public:
    explicit Legend(const Theme& theme, QWidget* parent = nullptr);
    void setEntries(std::vector<LegendEntry> entries);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
    std::vector<LegendEntry> entries_;
};

class PanelHeader : public QWidget {
    Q_OBJECT

public:
    PanelHeader(const Theme& theme, const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setSubject(const QString& subject);  // "GiB", "64 files, 554.3 GiB"
    void setLegend(std::vector<LegendEntry> entries);
    void addLeft(QWidget* widget);   // after the subject
    void addRight(QWidget* widget);  // at the right end

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
    TextLabel* title_;
    TextLabel* subject_;
    Legend* legend_;
    QBoxLayout* left_;
    QBoxLayout* right_;
};

}  // namespace fl::widgets
