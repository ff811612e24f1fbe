// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn the same in every window: hairlines between docks and panes, scroll bars, tool
// tips. Drawn here and not in the style sheet: a sheet that reaches every widget is matched against
// every widget anew when a colour changes.
#pragma once

#include <QProxyStyle>

namespace fl::widgets {

class Theme;

class WorkbenchStyle : public QProxyStyle {
    Q_OBJECT

public:
    explicit WorkbenchStyle(const Theme& theme);

    void polish(QWidget* widget) override;
    using QProxyStyle::polish;
    void drawPrimitive(PrimitiveElement element,
                       const QStyleOption* option,
                       QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element,
                     const QStyleOption* option,
                     QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control,
                            const QStyleOptionComplex* option,
                            QPainter* painter,
                            const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control,
                         const QStyleOptionComplex* option,
                         SubControl part,
                         const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric,
                    const QStyleOption* option,
                    const QWidget* widget) const override;

private:
    void drawScrollBar(const QStyleOptionComplex& option, QPainter& painter) const;

    const Theme& theme_;
};

}  // namespace fl::widgets
