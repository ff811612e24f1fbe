// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/checkpoint/recipe_writer.h"

#include <QFileDialog>
#include <QWidget>

#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/models/text.h"

namespace fl::panels {

namespace method = protocol::method;
using models::qt;

RecipeWriter::RecipeWriter(client::EngineClient& client, models::Models& models, QWidget* parent)
    : QObject(parent),
      client_(client),
      models_(models),
      window_(parent) {}

void RecipeWriter::ask() {
    auto* dialog = new QFileDialog(window_, tr("Write a recipe skeleton"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("Recipes (*.lua)"));
    dialog->setDefaultSuffix(QStringLiteral("lua"));
    const QString name =
        qt(models_.census.empty() ? std::string() : models_.census.census().architecture);
    dialog->selectFile((name.isEmpty() ? QStringLiteral("recipe") : name.toLower()) +
                       QStringLiteral(".lua"));
    connect(dialog, &QFileDialog::fileSelected, this, &RecipeWriter::write);
    dialog->open();
}

void RecipeWriter::write(const QString& file) {
    protocol::DraftRequest request;
    request.file = file.toStdString();
    client_.send(method::kRecipeDraft, request)
        ->then<protocol::RecipeDraft>(
            this,
            [this, file](const protocol::RecipeDraft& draft) {
                draft_ = draft;
                openWith(file);
                emit written(draft);
            },
            [this](const fl::Error& error) {
                emit failed(tr("The recipe was not written: %1").arg(qt(error.message)));
            });
}

void RecipeWriter::openWith(const QString& file) {
    protocol::OpenRequest request;
    request.settings = models_.settings;
    request.settings.recipe = file.toStdString();
    request.until = "plan";
    client::Reply* reply = client_.send(method::kJobOpen, request);
    connect(reply, &client::Reply::failed, this, [this](const fl::Error& error) {
        emit failed(tr("The recipe was written, but not read: %1").arg(qt(error.message)));
    });
}

const protocol::RecipeDraft* RecipeWriter::draft() const {
    return draft_ && draft_->file == models_.settings.recipe ? &*draft_ : nullptr;
}

}  // namespace fl::panels
