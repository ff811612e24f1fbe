// SPDX-License-Identifier: Apache-2.0
#include "app/rank_program.h"

#include <algorithm>
#include <cstdlib>

#include "app/linked_plugins.h"
#include "engine/base/log.h"
#include "engine/device/plugin_registry.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/link_messages.h"
#include "engine/service/rank_main.h"
#include "engine/service/rank_watcher.h"

namespace fl::app {

static Result<protocol::RankTicket> takeTicket() {
    const char* text = std::getenv(protocol::kTicketVariable);  // NOLINT(concurrency-mt-unsafe)
    if (text == nullptr)
        return Error{ErrorCode::NotFound,
                     "it is not set: control processes start ranks, not people"};
    FL_TRY(const Json json, Json::parse(text));
    return protocol::decode<protocol::RankTicket>(json);
}

int runRankProgram(int* argc, char*** argv) {
    const auto ticket = takeTicket();
    if (!ticket) {
        log::error("rank", "{}: {}", protocol::kTicketVariable, ticket.error().message);
        return 3;
    }
    // Without a launcher this is the only rank.
    const int rank = std::max(0, service::rankFromEnvironment());
    return service::runWatched(*ticket, rank, [&] {
        device::PluginRegistry registry(linkedPlugins(), pluginFolders());
        return service::runRank(*ticket, rank, registry, argc, argv);
    });
}

}  // namespace fl::app
