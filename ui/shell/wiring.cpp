// SPDX-License-Identifier: GPL-3.0-or-later
// Connects client and models.
#include "ui/shell/wiring.h"

#include "ui/client/engine_client.h"
#include "ui/models/models.h"

namespace fl::shell {

namespace {

// Asks for the tensors of a census page by page; each is small enough to be read between two
// pictures, and the engine makes the next one while the last is unpacked.
void askForTensors(client::EngineClient& client,
                   models::Models& models,
                   int number,
                   std::int64_t offset) {
    protocol::ColumnsRequest request;
    request.offset = offset;
    client.send(protocol::method::kColumns, request)
        ->then<protocol::TensorColumns>(
            &models,
            [&client, &models, number](const protocol::TensorColumns& page) {
                const std::int64_t next = page.offset + page.count;
                if (number == models.tensorLoader.number() && page.count > 0 && next < page.total) {
                    askForTensors(client, models, number, next);
                }
                models.tensorLoader.add(number, page);
            },
            [&models, number](const fl::Error& error) {
                models.tensorLoader.fail(number, QString::fromStdString(error.message));
            });
}

}  // namespace

void wire(client::EngineClient& client, models::Models& models) {
    using Client = client::EngineClient;
    using models::Models;
    QObject::connect(&client, &Client::connected, &models, &Models::applySnapshot);
    QObject::connect(&client, &Client::jobChanged, &models, &Models::applyJob);
    QObject::connect(&client, &Client::settingsChanged, &models, &Models::applySettings);
    QObject::connect(&client, &Client::stageChanged, &models, &Models::applyStage);
    QObject::connect(&client, &Client::censusChanged, &models, &Models::applyCensus);
    QObject::connect(&client, &Client::topologyChanged, &models, &Models::applyTopology);
    QObject::connect(&client, &Client::planChanged, &models, &Models::applyPlan);
    QObject::connect(&client, &Client::rankChanged, &models, &Models::applyRank);
    QObject::connect(&client, &Client::rankLost, &models, &Models::applyLost);
    QObject::connect(&client, &Client::findingAdded, &models, &Models::applyFinding);
    QObject::connect(&client, &Client::chatStarted, &models, &Models::applyChatRequest);
    QObject::connect(&client, &Client::chatDelta, &models, &Models::applyChatDelta);
    QObject::connect(&client, &Client::chatDone, &models, &Models::applyChatDone);
    QObject::connect(&client, &Client::logLine, &models, &Models::applyLog);
    QObject::connect(&client, &Client::loadProgress, &models, &Models::applyLoad);
    QObject::connect(&client, &Client::memorySampled, &models, &Models::applyMemory);
    QObject::connect(&client, &Client::stepSampled, &models, &Models::applyStep);
    QObject::connect(&models, &Models::tensorsWanted, &client,
                     [&client, &models](int number) { askForTensors(client, models, number, 0); });
}

}  // namespace fl::shell
