// SPDX-License-Identifier: Apache-2.0
// Any bytes as a job file and as a plan: settings that are taken come back from what is written of
// them.
#include "app/job_file.h"
#include "engine/base/json.h"
#include "engine/protocol/codec.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fl;
    static const fuzz::MemoryFile file;
    file.fill(data, size);
    protocol::JobSettings settings;
    if (const auto read = app::readJobFile(file.path()))
        settings = *read;
    const Json before = protocol::encode(settings);
    if (const Status taken = app::takePlanFile(file.path(), settings); !taken)
        fuzz::require(protocol::encode(settings) == before && !taken.error().message.empty());
    const auto again = Json::parse(app::writeJobFile(settings));
    fuzz::require(again.has_value());
    const auto same = protocol::decode<protocol::JobSettings>(*again);
    fuzz::require(same && protocol::encode(*same) == protocol::encode(settings));
    return 0;
}
