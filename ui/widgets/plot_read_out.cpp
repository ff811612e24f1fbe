// SPDX-License-Identifier: GPL-3.0-or-later
// Fills and places the read-out.
#include "ui/widgets/plot_read_out.h"

#include <QVBoxLayout>

namespace fl::widgets {

PlotReadOut::PlotReadOut(const Theme& theme, QWidget* plot)
    : Card(theme, Card::Kind::Quote, plot),
      theme_(theme) {
    list_ = new KeyValueList(theme, this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme.px(10), theme.px(6), theme.px(10), theme.px(6));
    column->addWidget(list_);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void PlotReadOut::showValues(std::vector<KeyValue> rows, const QRect& area, double x) {
    list_->setRows(std::move(rows));
    setFixedWidth(theme_.px(190));
    adjustSize();
    const int gap = theme_.px(6);
    const bool right = x < area.center().x();
    move(right ? area.right() - width() - gap : area.left() + gap, area.top() + gap);
    show();
    raise();
}

}  // namespace fl::widgets
