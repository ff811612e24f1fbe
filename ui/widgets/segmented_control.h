// SPDX-License-Identifier: GPL-3.0-or-later
// One choice out of two to six, side by side. Arrow keys move the choice.
#pragma once

#include <vector>

#include <QStringList>
#include <QWidget>

#include "ui/widgets/theme.h"

namespace fl::widgets {

class SegmentedControl : public QWidget {
    Q_OBJECT

public:
    explicit SegmentedControl(const Theme& theme, QWidget* parent = nullptr);

    void setSegments(const QStringList& texts);
    int count() const { return int(segments_.size()); }
    QString text(int index) const { return segments_[std::size_t(index)].text; }

    int current() const { return current_; }
    void setCurrent(int index);  // emits nothing; −1: none
    // A segment without data yet: drawn t3, not to be chosen, `reason` is its tool tip. An empty
    // reason makes it usual again.
    void setBlocked(int index, const QString& reason);
    // Marks a segment as an illegal choice, which stays selectable.
    void setIllegal(int index, bool illegal);
    // Fill the width with equal segments (what-if rows) instead of hugging the texts.
    void setStretched(bool stretched);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void chosen(int index);  // by the user

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Segment {
        QString text;
        QString reason;
        bool illegal = false;
    };
    int width(int index) const;
    QRect box(int index) const;
    int at(const QPoint& place) const;
    void choose(int index);

    const Theme& theme_;
    std::vector<Segment> segments_;
    int current_ = 0;
    int hovered_ = -1;
    bool stretched_ = false;
};

}  // namespace fl::widgets
