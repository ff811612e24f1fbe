// SPDX-License-Identifier: Apache-2.0
#include "app/job_file.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/json.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/plan_messages.h"

namespace fl::app {

namespace {

constexpr std::size_t kMaxName = 40;

Error in(const std::string& path, Error error) {
    if (!error.message.starts_with(path))
        error.message = path + ": " + error.message;
    return error;
}

// Whether `plan` can be asked for again. `document` is where it was read from.
Status checkPlan(const std::string& path, const Json& document, const protocol::PlanInfo& plan) {
    const auto refuse = [&path](const std::string& why) {
        return Error{ErrorCode::InvalidArgument, path + ": " + why};
    };
    if (!document["mesh"].isObject() || !document["stage_layers"].isArray())
        return refuse("not a plan: it has no mesh and stage_layers, as `plan --json` writes them");
    const protocol::MeshInfo& mesh = plan.mesh;
    if (std::min({mesh.tp, mesh.pp, mesh.ep, mesh.dp}) < 1)
        return refuse("mesh: tp, pp, ep and dp must each be at least 1");
    if (plan.stageLayers.empty())
        return refuse("this plan violates rules and places nothing; make one that is legal");
    if (plan.stageLayers.size() != static_cast<std::size_t>(mesh.pp))
        return refuse("stage_layers has " + std::to_string(plan.stageLayers.size()) +
                      " stages, mesh.pp is " + std::to_string(mesh.pp));
    return Done{};
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
    FL_TRY(const Json document, Json::parseFile(path));
    Json chosen = Json::object();
    for (const char* key :
         {"mesh", "order", "stage_layers", "max_context", "max_sequences", "compute", "kv"}) {
        if (!document[key].isNull())
            chosen.append(key, document[key]);
    }
    auto plan = protocol::decode<protocol::PlanInfo>(chosen);
    if (!plan)
        return in(path, plan.error());
    FL_DO(checkPlan(path, document, *plan));
    settings.tp = plan->mesh.tp;
    settings.pp = plan->mesh.pp;
    settings.ep = plan->mesh.ep;
    settings.dp = plan->mesh.dp;
    settings.stageLayers = plan->stageLayers;
    settings.maxContext = plan->maxContext;
    if (plan->maxSequences > 0)
        settings.maxSequences = plan->maxSequences;
    if (!plan->compute.empty())
        settings.compute = plan->compute;
    if (!plan->kv.empty())
        settings.kv = plan->kv;
    settings.order = plan->order;
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
