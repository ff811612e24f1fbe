// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the few parts that differ from Fusion everywhere.
#include "ui/widgets/workbench_style.h"

#include <algorithm>

#include <QAbstractScrollArea>
#include <QPainter>
#include <QScrollBar>
#include <QStyleFactory>
#include <QStyleOption>

#include "ui/widgets/paint.h"
#include "ui/widgets/theme.h"

namespace fl::widgets {

namespace {
// Pixels at scale 1.
constexpr int kScrollBar = 10;
constexpr int kLeastHandle = 28;
constexpr int kHandleMargin = 2;
constexpr int kToolTipMargin = 5;
}  // namespace

WorkbenchStyle::WorkbenchStyle(const Theme& theme)
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))),
      theme_(theme) {}

void WorkbenchStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (auto* area = qobject_cast<QAbstractScrollArea*>(widget)) {
        area->setFrameShape(QFrame::NoFrame);
    }
    if (qobject_cast<QScrollBar*>(widget)) {
        widget->setAttribute(Qt::WA_Hover);
        widget->setAttribute(Qt::WA_OpaquePaintEvent, false);
    }
}

void WorkbenchStyle::drawPrimitive(PrimitiveElement element,
                                   const QStyleOption* option,
                                   QPainter* painter,
                                   const QWidget* widget) const {
    switch (element) {
        case PE_IndicatorDockWidgetResizeHandle:
            painter->fillRect(option->rect, theme_.color(Token::Line));
            return;
        case PE_PanelTipLabel:
            painter->fillRect(option->rect, theme_.color(Token::Line2));
            painter->fillRect(option->rect.adjusted(1, 1, -1, -1), theme_.color(Token::Bg2));
            return;
        // Trees draw their own chevrons, the ring shows the focus, docks have no frame.
        case PE_IndicatorBranch:
        case PE_FrameFocusRect:
        case PE_FrameDockWidget:
        case PE_PanelScrollAreaCorner:
            return;
        default:
            QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void WorkbenchStyle::drawControl(ControlElement element,
                                 const QStyleOption* option,
                                 QPainter* painter,
                                 const QWidget* widget) const {
    if (element == CE_Splitter) {
        painter->fillRect(option->rect, theme_.color(Token::Line));
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void WorkbenchStyle::drawScrollBar(const QStyleOptionComplex& option, QPainter& painter) const {
    const QRect handle = subControlRect(CC_ScrollBar, &option, SC_ScrollBarSlider, nullptr);
    const bool hovered =
        (option.state & State_MouseOver) != 0 && (option.state & State_Enabled) != 0;
    const int margin = theme_.px(kHandleMargin);
    const QRectF box = QRectF(handle).adjusted(margin, margin, -margin, -margin);
    if (box.width() > 0 && box.height() > 0) {
        paintBox(painter, box, theme_.color(hovered ? Token::Line2 : Token::Bg4), QColor(),
                 theme_.px(3));
    }
}

void WorkbenchStyle::drawComplexControl(ComplexControl control,
                                        const QStyleOptionComplex* option,
                                        QPainter* painter,
                                        const QWidget* widget) const {
    if (control == CC_ScrollBar) {
        drawScrollBar(*option, *painter);
        return;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

// All of a scroll bar is its groove: no arrows.
QRect WorkbenchStyle::subControlRect(ComplexControl control,
                                     const QStyleOptionComplex* option,
                                     SubControl part,
                                     const QWidget* widget) const {
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (control != CC_ScrollBar || !bar) {
        return QProxyStyle::subControlRect(control, option, part, widget);
    }
    const bool across = bar->orientation == Qt::Horizontal;
    const int length = across ? bar->rect.width() : bar->rect.height();
    const qint64 range = qint64(bar->maximum) - bar->minimum;
    const qint64 handle =
        range > 0 ? std::clamp<qint64>(qint64(length) * bar->pageStep / (range + bar->pageStep),
                                       std::min(theme_.px(kLeastHandle), length), length)
                  : length;
    const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition,
                                              length - int(handle), bar->upsideDown);
    const auto piece = [&](int from, int size) {
        const QRect box = across ? QRect(from, 0, size, bar->rect.height())
                                 : QRect(0, from, bar->rect.width(), size);
        return visualRect(bar->direction, bar->rect, box.translated(bar->rect.topLeft()));
    };
    switch (part) {
        case SC_ScrollBarSlider:
            return piece(start, int(handle));
        case SC_ScrollBarSubPage:
            return piece(0, start);
        case SC_ScrollBarAddPage:
            return piece(start + int(handle), length - start - int(handle));
        case SC_ScrollBarGroove:
            return bar->rect;
        default:
            return {};
    }
}

int WorkbenchStyle::pixelMetric(PixelMetric metric,
                                const QStyleOption* option,
                                const QWidget* widget) const {
    switch (metric) {
        case PM_DockWidgetSeparatorExtent:
        case PM_SplitterWidth:
            return 1;
        case PM_DockWidgetFrameWidth:
        case PM_ScrollView_ScrollBarSpacing:
            return 0;
        case PM_ScrollBarExtent:
            return theme_.px(kScrollBar);
        case PM_ScrollBarSliderMin:
            return theme_.px(kLeastHandle);
        case PM_ToolTipLabelFrameWidth:
            return theme_.px(kToolTipMargin);
        default:
            return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

}  // namespace fl::widgets
