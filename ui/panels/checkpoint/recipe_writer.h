// SPDX-License-Identifier: GPL-3.0-or-later
// A first recipe for an architecture that none knows: asks where, has the engine write it, and
// opens the checkpoint again with it. From then on the engine reads the file whenever it is saved.
#pragma once

#include <optional>

#include <QObject>
#include <QString>

#include "engine/protocol/messages.h"

class QWidget;

namespace fl::client {
class EngineClient;
}
namespace fl::models {
struct Models;
}

namespace fl::panels {

class RecipeWriter : public QObject {
    Q_OBJECT

public:
    RecipeWriter(client::EngineClient& client, models::Models& models, QWidget* parent);

    void ask();
    // `file` ends in ".lua" and is not there yet; the engine refuses otherwise.
    void write(const QString& file);
    // What was written for the recipe that is open; null: nothing, or another one is open.
    const protocol::RecipeDraft* draft() const;

signals:
    void written(const fl::protocol::RecipeDraft& draft);
    void failed(const QString& reason);

private:
    void openWith(const QString& file);

    client::EngineClient& client_;
    models::Models& models_;
    QWidget* window_;
    std::optional<protocol::RecipeDraft> draft_;
};

}  // namespace fl::panels
