// SPDX-License-Identifier: GPL-3.0-or-later
// The small dialogs.
#include "ui/shell/dialogs.h"

#include <algorithm>
#include <utility>

#include <QAction>
#include <QCoreApplication>
#include <QDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include "ui/shell/settings.h"
#include "ui/widgets/button.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/text_label.h"

namespace fl::shell {

using widgets::Button;
using widgets::TextLabel;
using widgets::TextRole;
using widgets::Theme;
using widgets::Token;

namespace {

struct Dialogs {
    Q_DECLARE_TR_FUNCTIONS(Dialogs)
};

// A dialog with a heading and one or two sentences; deletes itself when it closes.
struct Frame {
    QDialog* dialog;
    QVBoxLayout* column;
};
Frame makeFrame(const Theme& theme, const QString& title, const QString& body, QWidget* parent) {
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setMinimumWidth(theme.px(440));
    auto* column = new QVBoxLayout(dialog);
    const int padding = theme.px(20);
    column->setContentsMargins(padding, padding, padding, padding);
    column->setSpacing(theme.px(8));
    auto* head = new TextLabel(theme, TextRole::Verdict, Token::T1, dialog);
    head->setText(title);
    column->addWidget(head);
    if (!body.isEmpty()) {
        auto* text = new TextLabel(theme, TextRole::Base, Token::T2, dialog);
        text->setText(body);
        text->setWordWrap(true);
        column->addWidget(text);
    }
    column->addSpacing(theme.px(4));
    return {dialog, column};
}

QHBoxLayout* addButtons(const Theme& theme, const Frame& frame) {
    auto* row = new QHBoxLayout;
    row->setSpacing(theme.px(8));
    row->addStretch(1);
    frame.column->addSpacing(theme.px(8));
    frame.column->addLayout(row);
    return row;
}

Button* addButton(const Theme& theme,
                  const Frame& frame,
                  QHBoxLayout* row,
                  const QString& text,
                  Button::Kind kind) {
    auto* button = new Button(theme, text, kind, Button::Size::Regular, frame.dialog);
    QObject::connect(button, &Button::clicked, frame.dialog, &QDialog::close);
    row->addWidget(button);
    return button;
}

void addLabelled(const Theme& theme, const Frame& frame, const QString& text, QWidget* field) {
    auto* label = new TextLabel(theme, TextRole::Base, Token::T2, frame.dialog);
    label->setText(text);
    label->setFixedWidth(theme.px(140));
    field->setAccessibleName(text);
    auto* row = new QHBoxLayout;
    row->addWidget(label);
    row->addWidget(field);
    row->addStretch(1);
    frame.column->addLayout(row);
}

}  // namespace

QDialog* askForEngine(const Theme& theme,
                      const std::vector<client::RunningEngine>& engines,
                      QWidget* parent,
                      std::function<void(const QString& socket)> attach) {
    const Frame frame = makeFrame(
        theme, Dialogs::tr("Engines are running"),
        Dialogs::tr(
            "A loaded model outlives its window. Attach to one to go on where it was left."),
        parent);
    auto* list = new QListWidget(frame.dialog);
    list->setAccessibleName(Dialogs::tr("Running engines"));
    for (const client::RunningEngine& engine : engines) {
        auto* item = new QListWidgetItem(engine.job, list);
        item->setData(Qt::UserRole, engine.socket);
        item->setSizeHint(QSize(0, theme.px(26)));
    }
    list->setCurrentRow(0);
    list->setFixedHeight(theme.px(26) * std::min(int(engines.size()), 6) + 2);
    frame.column->addWidget(list);
    QHBoxLayout* row = addButtons(theme, frame);
    addButton(theme, frame, row, Dialogs::tr("Not now"), Button::Kind::Quiet);
    Button* go = addButton(theme, frame, row, Dialogs::tr("Attach"), Button::Kind::Primary);
    go->setDefault(true);
    const auto choose = [list, attach = std::move(attach)] {
        if (list->currentItem()) {
            attach(list->currentItem()->data(Qt::UserRole).toString());
        }
    };
    QObject::connect(go, &Button::clicked, list, choose);
    QObject::connect(list, &QListWidget::itemDoubleClicked, frame.dialog, [choose, frame] {
        choose();
        frame.dialog->close();
    });
    frame.dialog->open();
    list->setFocus();
    return frame.dialog;
}

QDialog* askOnClose(const Theme& theme,
                    const QString& job,
                    QWidget* parent,
                    std::function<void(CloseAnswer)> answer) {
    const Frame frame = makeFrame(theme, Dialogs::tr("Keep the engine running?"),
                                  Dialogs::tr("%1 stays loaded and answers again as soon as a "
                                              "window attaches. Stopping frees its memory.")
                                      .arg(job),
                                  parent);
    QHBoxLayout* row = addButtons(theme, frame);
    addButton(theme, frame, row, Dialogs::tr("Cancel"), Button::Kind::Quiet);
    Button* stop = addButton(theme, frame, row, Dialogs::tr("Stop it"), Button::Kind::Danger);
    Button* keep =
        addButton(theme, frame, row, Dialogs::tr("Keep it running"), Button::Kind::Primary);
    keep->setDefault(true);
    QObject::connect(stop, &Button::clicked, parent, [answer] { answer(CloseAnswer::Stop); });
    QObject::connect(keep, &Button::clicked, parent, [answer] { answer(CloseAnswer::Keep); });
    frame.dialog->open();
    keep->setFocus();
    return frame.dialog;
}

QDialog* showSettings(const Theme& theme,
                      Settings& settings,
                      QWidget* parent,
                      std::function<void()> changed) {
    const Frame frame = makeFrame(theme, Dialogs::tr("Settings"), {}, parent);
    auto* colours = new widgets::SegmentedControl(theme, frame.dialog);
    colours->setSegments({Dialogs::tr("Desktop"), Dialogs::tr("Dark"), Dialogs::tr("Light")});
    colours->setCurrent(int(settings.theme()));
    addLabelled(theme, frame, Dialogs::tr("Theme"), colours);
    auto* size = new widgets::SegmentedControl(theme, frame.dialog);
    size->setSegments({Dialogs::tr("Usual"), Dialogs::tr("Large")});
    size->setCurrent(settings.scale() > 1 ? 1 : 0);
    addLabelled(theme, frame, Dialogs::tr("Type size"), size);
    auto* note = new TextLabel(theme, TextRole::Small, Token::T3, frame.dialog);
    note->setText(Dialogs::tr("Spacing follows the type size when the window is opened next."));
    frame.column->addWidget(note);
    auto* cluster = new QLineEdit(settings.cluster(), frame.dialog);
    cluster->setMinimumWidth(theme.px(260));
    addLabelled(theme, frame, Dialogs::tr("Default cluster"), cluster);
    Settings* store = &settings;
    QObject::connect(colours, &widgets::SegmentedControl::chosen, frame.dialog,
                     [store, changed](int index) {
                         store->setTheme(static_cast<widgets::ThemeChoice>(index));
                         changed();
                     });
    QObject::connect(size, &widgets::SegmentedControl::chosen, frame.dialog,
                     [store, changed](int index) {
                         store->setScale(index == 0 ? 1 : 1.25);
                         changed();
                     });
    QObject::connect(cluster, &QLineEdit::editingFinished, frame.dialog, [store, cluster, changed] {
        store->setCluster(cluster->text().trimmed());
        changed();
    });
    QHBoxLayout* row = addButtons(theme, frame);
    addButton(theme, frame, row, Dialogs::tr("Done"), Button::Kind::Primary)->setDefault(true);
    frame.dialog->open();
    return frame.dialog;
}

QDialog* showKeys(const Theme& theme, const std::vector<QAction*>& actions, QWidget* parent) {
    const Frame frame = makeFrame(theme, Dialogs::tr("Keys"), {}, parent);
    std::vector<widgets::KeyValue> rows;
    for (const QAction* action : actions) {
        if (!action->shortcut().isEmpty()) {
            rows.push_back({action->text(), action->shortcut().toString(QKeySequence::NativeText)});
        }
    }
    rows.push_back({Dialogs::tr("Send the prompt"), QStringLiteral("Ctrl+Return")});
    rows.push_back({Dialogs::tr("Leave a field, a menu, presenter mode"), QStringLiteral("Esc")});
    auto* list = new widgets::KeyValueList(theme, frame.dialog);
    list->setRows(std::move(rows));
    frame.column->addWidget(list);
    QHBoxLayout* row = addButtons(theme, frame);
    addButton(theme, frame, row, Dialogs::tr("Close"), Button::Kind::Normal)->setDefault(true);
    frame.dialog->open();
    return frame.dialog;
}

}  // namespace fl::shell
