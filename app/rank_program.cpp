// SPDX-License-Identifier: Apache-2.0
#include "app/rank_program.h"

#include <algorithm>

#include "app/linked_plugins.h"
#include "engine/base/log.h"
#include "engine/base/paths.h"
#include "engine/device/plugin_registry.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/link_messages.h"
#include "engine/service/rank_main.h"
#include "engine/service/rank_watcher.h"

namespace fl::app {

static Result<protocol::RankJob> readJob(const std::string& path) {
    FL_TRY(const Json json, Json::parseFile(path));
    return protocol::decode<protocol::RankJob>(json);
}

int runRankProgram(const std::string& jobFile, int* argc, char*** argv) {
    const auto job = readJob(jobFile);
    if (!job) {
        log::error("rank", "{}: {}", jobFile, job.error().message);
        return 3;
    }
    // Without a launcher this is the only rank.
    const int rank = std::max(0, service::rankFromEnvironment());
    return service::runWatched(*job, rank, [&] {
        device::PluginRegistry registry(linkedPlugins(), pluginFolders());
        return service::runRank(*job, rank, registry, argc, argv);
    });
}

}  // namespace fl::app
