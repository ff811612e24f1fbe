// SPDX-License-Identifier: GPL-3.0-or-later
// The ledger of every rank: parts, free rest, budget; what was measured beside what was planned.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/models/memory_model.h"
#include "ui/widgets/ledger_bar.h"

namespace fl::panels {

class LedgerStack : public QWidget {
    Q_OBJECT

public:
    explicit LedgerStack(const widgets::Theme& theme, QWidget* parent = nullptr);

    void setRanks(const std::vector<models::RankMemory>& ranks);
    void setSelected(int rank);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void rankChosen(int rank);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    struct Row {
        int rank = 0;
        QString node;
        widgets::LedgerShape planned;
        widgets::LedgerShape measured;
        bool isMeasured = false;
        std::int64_t total = 0;
        std::int64_t used = 0;
        std::int64_t free = 0;
        std::int64_t capacity = 0;
    };
    struct Block {  // ranks of one node
        std::size_t first = 0;
        std::size_t count = 0;
        double top = 0;
    };
    bool detailed() const;  // few ranks: a labelled row each
    double rowHeight() const;
    std::vector<Block> blocks() const;
    QRectF barArea() const;
    void paintBlock(QPainter& painter, const Block& block) const;
    void paintRow(QPainter& painter, const Row& row, double top) const;
    QString scaleText() const;
    void paintLegend(QPainter& painter, double top) const;
    void paintScale(QPainter& painter, double bottom) const;

    const widgets::Theme& theme_;
    std::vector<Row> rows_;
    std::int64_t whole_ = 0;
    std::int64_t budget_ = 0;
    QString unit_;
    int selected_ = -1;
};

}  // namespace fl::panels
