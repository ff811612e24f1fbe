// SPDX-License-Identifier: GPL-3.0-or-later
// Checks over a whole tree of widgets: no cut text, a name for every control.
#pragma once

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QStringList>
#include <QWidget>

#include "ui/widgets/button.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/text_label.h"

namespace fl::test {

// The window never blocks for longer, in milliseconds; time in which other programs had the cores
// does not count. Under a sanitizer everything takes three times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double kLongestBlock = 150;
#else
inline constexpr double kLongestBlock = 50;
#endif

inline QString describe(const QWidget& widget) {
    return QStringLiteral("%1 \"%2\" in %3")
        .arg(QString::fromLatin1(widget.metaObject()->className()), widget.accessibleName(),
             widget.parentWidget() ? widget.parentWidget()->metaObject()->className() : "nothing");
}

// Visible labels, buttons and segmented controls that are smaller than their text. A label that
// may elide is left out.
inline QStringList cutTexts(const QWidget& root) {
    QStringList cut;
    for (const QWidget* widget : root.findChildren<QWidget*>()) {
        if (!widget->isVisible()) {
            continue;
        }
        const auto* label = qobject_cast<const QLabel*>(widget);
        if (label && !label->wordWrap() && !label->text().isEmpty() &&
            label->width() < label->minimumSizeHint().width()) {
            cut << describe(*label) + QStringLiteral(": ") + label->text();
        }
        if (label && label->wordWrap() && label->height() < label->heightForWidth(label->width())) {
            cut << describe(*label) + QStringLiteral(", lines: ") + label->text();
        }
        const bool drawsText = qobject_cast<const widgets::Button*>(widget) ||
                               qobject_cast<const widgets::Chip*>(widget) ||
                               qobject_cast<const widgets::SegmentedControl*>(widget);
        if (drawsText && (widget->width() < widget->minimumSizeHint().width() ||
                          widget->height() < widget->minimumSizeHint().height())) {
            cut << describe(*widget);
        }
    }
    return cut;
}

// Controls that can take the focus and have neither an accessible name nor a text of their own.
inline QStringList namelessControls(const QWidget& root) {
    QStringList nameless;
    for (const QWidget* widget : root.findChildren<QWidget*>()) {
        const bool hidden = !widget->isVisibleTo(&root);
        const bool part = qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) ||
                          qobject_cast<const QComboBox*>(widget->parentWidget()) ||
                          widget->objectName().startsWith(QStringLiteral("qt_"));
        if (hidden || part || !(widget->focusPolicy() & Qt::TabFocus)) {
            continue;
        }
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const auto* field = qobject_cast<const QLineEdit*>(widget);
        const bool named = !widget->accessibleName().isEmpty() ||
                           (button && !button->text().isEmpty()) ||
                           (field && !field->placeholderText().isEmpty());
        if (!named) {
            nameless << describe(*widget);
        }
    }
    return nameless;
}

}  // namespace fl::test
