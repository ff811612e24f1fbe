// SPDX-License-Identifier: GPL-3.0-or-later
// Connects client and models.
#include "ui/shell/wiring.h"

#include "ui/client/engine_client.h"
#include "ui/models/models.h"

namespace fl::shell {

namespace {

constexpr std::int64_t kTensorsAtOnce = 5000;

// Asks for the tensors of a census in portions, so that no reply holds the window up.
void askForTensors(client::EngineClient& client, models::Models& models, std::int64_t offset) {
    protocol::TensorsRequest request;
    request.offset = offset;
    request.limit = kTensorsAtOnce;
    client.send(protocol::method::kTensors, request)
        ->then<protocol::TensorsReply>(
            &models,
            [&client, &models, offset](const protocol::TensorsReply& reply) {
                models.applyTensors(reply);
                const std::int64_t next = offset + std::int64_t(reply.tensors.size());
                if (!reply.tensors.empty() && next < reply.total) {
                    askForTensors(client, models, next);
                }
            },
            [](const fl::Error&) {});
}

}  // namespace

void wire(client::EngineClient& client, models::Models& models) {
    using Client = client::EngineClient;
    using models::Models;
    QObject::connect(&client, &Client::connected, &models, &Models::applySnapshot);
    QObject::connect(&client, &Client::jobChanged, &models, &Models::applyJob);
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
                     [&client, &models] { askForTensors(client, models, 0); });
}

}  // namespace fl::shell
