// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog that opens a checkpoint.
#include "ui/shell/open_dialog.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QVBoxLayout>

#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/what_if_row.h"

namespace fl::shell {

using widgets::Button;
using widgets::TextLabel;
using widgets::TextRole;
using widgets::Token;

OpenDialog::OpenDialog(const widgets::Theme& theme,
                       const protocol::JobSettings& settings,
                       QWidget* parent)
    : QDialog(parent),
      theme_(theme) {
    setWindowTitle(tr("Open a checkpoint"));
    build(settings);
    check();
}

QWidget* OpenDialog::addLabelled(const QString& text, QWidget* field) {
    auto* row = new QWidget(this);
    auto* label = new TextLabel(theme_, TextRole::Base, Token::T2, row);
    label->setText(text);
    label->setFixedWidth(theme_.px(100));
    field->setAccessibleName(text);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(theme_.px(8));
    line->addWidget(label);
    line->addWidget(field, 1);
    return row;
}

void OpenDialog::build(const protocol::JobSettings& settings) {
    auto* column = new QVBoxLayout(this);
    const int padding = theme_.px(20);
    column->setContentsMargins(padding, padding, padding, padding);
    column->setSpacing(theme_.px(10));
    path_ = new QLineEdit(QString::fromStdString(settings.checkpoint), this);
    path_->setPlaceholderText(tr("Folder of safetensors, a GGUF or a job file"));
    auto* browse =
        new Button(theme_, tr("Browse…"), Button::Kind::Normal, Button::Size::Compact, this);
    auto* pathRow = addLabelled(tr("Checkpoint"), path_);
    pathRow->layout()->addWidget(browse);
    column->addWidget(pathRow);
    cluster_ = new QLineEdit(QString::fromStdString(settings.cluster), this);
    cluster_->setPlaceholderText(QStringLiteral("local"));
    cluster_->setToolTip(tr("local, cpu:cards=6,memory=2GiB, or a JSON file of nodes and links"));
    column->addWidget(addLabelled(tr("Cluster"), cluster_));
    const char* const letters[] = {"TP", "PP", "EP", "DP"};
    const int values[] = {settings.tp, settings.pp, settings.ep, settings.dp};
    for (std::size_t i = 0; i < mesh_.size(); ++i) {
        mesh_[i] = new widgets::WhatIfRow(theme_, QString::fromLatin1(letters[i]), this);
        mesh_[i]->setValues({0, 1, 2, 3, 4, 6, 8}, {});
        mesh_[i]->setValue(values[i]);
        column->addWidget(mesh_[i]);
    }
    until_ = new widgets::SegmentedControl(theme_, this);
    until_->setSegments({tr("Plan"), tr("Load")});
    auto* untilRow = addLabelled(tr("Bring up to"), until_);
    static_cast<QHBoxLayout*>(untilRow->layout())->addStretch(100);
    column->addWidget(untilRow);
    note_ = new TextLabel(theme_, TextRole::Small, Token::T3, this);
    note_->setWordWrap(true);
    column->addWidget(note_);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(theme_.px(8));
    auto* cancel =
        new Button(theme_, tr("Cancel"), Button::Kind::Quiet, Button::Size::Regular, this);
    open_ = new Button(theme_, tr("Open"), Button::Kind::Primary, Button::Size::Regular, this);
    open_->setDefault(true);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(open_);
    column->addSpacing(theme_.px(6));
    column->addLayout(buttons);
    setMinimumWidth(theme_.px(560));
    connect(path_, &QLineEdit::textChanged, this, &OpenDialog::check);
    connect(open_, &Button::clicked, this, &QDialog::accept);
    connect(cancel, &Button::clicked, this, &QDialog::reject);
    auto* ways = new QMenu(browse);
    ways->addAction(tr("A folder…"), this, [this] { this->browse(true); });
    ways->addAction(tr("A file…"), this, [this] { this->browse(false); });
    browse->setDropDown(true);
    connect(browse, &Button::clicked, ways,
            [browse, ways] { ways->popup(browse->mapToGlobal(QPoint(0, browse->height() + 4))); });
}

void OpenDialog::browse(bool folder) {
    auto* chooser = new QFileDialog(this, tr("Open a checkpoint"), path_->text());
    chooser->setAttribute(Qt::WA_DeleteOnClose);
    chooser->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    if (!folder) {
        chooser->setNameFilters(
            {tr("Weights and jobs (*.gguf *.safetensors *.json)"), tr("All files (*)")});
    }
    connect(chooser, &QFileDialog::fileSelected, this, &OpenDialog::setPath);
    chooser->open();
}

QString OpenDialog::path() const {
    return QFileInfo(path_->text().trimmed()).absoluteFilePath();
}

void OpenDialog::setPath(const QString& path) {
    path_->setText(path);
}

bool OpenDialog::isJob() const {
    const QFileInfo info(path());
    return info.isFile() && info.suffix() == QStringLiteral("json");
}

void OpenDialog::check() {
    const QString path = path_->text().trimmed();
    const bool there = !path.isEmpty() && QFileInfo::exists(path);
    open_->setBlocked(there            ? QString()
                      : path.isEmpty() ? tr("Choose a checkpoint first")
                                       : tr("There is nothing at this path"));
    const bool job = isJob();
    cluster_->setEnabled(!job);
    until_->setEnabled(!job);
    for (widgets::WhatIfRow* row : mesh_) {
        row->setEnabled(!job);
    }
    note_->setText(job ? tr("A job file brings its own checkpoint, cluster and cut.")
                   : there || path.isEmpty()
                       ? tr("Only headers are read until Load. TP, PP, EP and DP on auto let the "
                            "planner choose; every broken rule is shown with its legal values.")
                       : tr("There is nothing at this path."));
    note_->setColor(there || path.isEmpty() ? Token::T3 : Token::Err);
}

protocol::JobSettings OpenDialog::settings() const {
    protocol::JobSettings settings;
    settings.checkpoint = path().toStdString();
    const QString cluster = cluster_->text().trimmed();
    settings.cluster = cluster.isEmpty() ? "local" : cluster.toStdString();
    settings.tp = mesh_[0]->value();
    settings.pp = mesh_[1]->value();
    settings.ep = mesh_[2]->value();
    settings.dp = mesh_[3]->value();
    return settings;
}

QString OpenDialog::until() const {
    return until_->current() == 0 ? QStringLiteral("plan") : QStringLiteral("load");
}

}  // namespace fl::shell
