// SPDX-License-Identifier: Apache-2.0
#include "app/job_file.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/json.h"
#include "engine/protocol/codec.h"

namespace fl::app {

namespace {

constexpr std::size_t kMaxName = 40;

Error in(const std::string& path, Error error) {
    if (!error.message.starts_with(path))
        error.message = path + ": " + error.message;
    return error;
}

}  // namespace

Result<protocol::JobSettings> readJobFile(const std::string& path) {
    FL_TRY(const Json json, Json::parseFile(path));
    auto settings = protocol::decode<protocol::JobSettings>(json);
    if (!settings)
        return in(path, settings.error());
    std::filesystem::path checkpoint = settings->checkpoint;
    if (!checkpoint.empty() && checkpoint.is_relative())
        settings->checkpoint =
            std::filesystem::absolute(std::filesystem::path(path).parent_path() / checkpoint)
                .lexically_normal()
                .string();
    return settings;
}

std::string writeJobFile(const protocol::JobSettings& settings) {
    const Json all = protocol::encode(settings);
    const Json defaults = protocol::encode(protocol::JobSettings());
    Json out = Json::object();
    for (const auto& [key, value] : all.members()) {
        if (defaults[key] != value)
            out.append(key, value);
    }
    return out.dump(2) + "\n";
}

Status takePlanFile(const std::string& path, protocol::JobSettings& settings) {
    FL_TRY(const Json plan, Json::parseFile(path));
    const Json& mesh = plan["mesh"];
    if (!mesh.isObject() || !plan["ranks"].isArray())
        return Error{ErrorCode::InvalidArgument,
                     path + ": not a plan: it has no mesh and ranks, as `plan --json` writes them"};
    settings.tp = static_cast<int>(mesh["tp"].integer());
    settings.pp = static_cast<int>(mesh["pp"].integer());
    settings.ep = static_cast<int>(mesh["ep"].integer());
    settings.dp = static_cast<int>(mesh["dp"].integer());
    settings.stageLayers.assign(static_cast<std::size_t>(std::max(settings.pp, 0)), 0);
    for (const Json& rank : plan["ranks"].items()) {
        const auto stage = static_cast<std::size_t>(rank["stage"].integer());
        if (stage < settings.stageLayers.size())
            settings.stageLayers[stage] =
                static_cast<int>(rank["end_layer"].integer() - rank["first_layer"].integer());
    }
    settings.maxContext = plan["max_context"].integer();
    settings.maxSequences = static_cast<int>(plan["max_sequences"].integer(settings.maxSequences));
    if (!plan["compute"].string().empty())
        settings.compute = plan["compute"].string();
    if (!plan["kv"].string().empty())
        settings.kv = plan["kv"].string();
    settings.order = plan["order"].string();
    return Done{};
}

std::string jobNameFor(const std::string& checkpoint) {
    std::filesystem::path path = std::filesystem::path(checkpoint).lexically_normal();
    if (!path.has_filename())
        path = path.parent_path();
    std::string name = path.filename().string().substr(0, kMaxName);
    std::replace_if(
        name.begin(), name.end(),
        [](char c) {
            return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '.' || c == '_' || c == '-');
        },
        '-');
    if (name.empty() || name.front() == '.')
        name.insert(0, "job");
    return name.substr(0, kMaxName);
}

}  // namespace fl::app
