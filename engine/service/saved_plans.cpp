// SPDX-License-Identifier: Apache-2.0
#include "engine/service/saved_plans.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>

#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/protocol/codec.h"

namespace fl::service {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxName = 40;
constexpr std::string_view kSuffix = ".json";

protocol::AlternativeInfo inOneLine(const protocol::PlanInfo& plan) {
    protocol::AlternativeInfo out;
    out.mesh = plan.mesh;
    out.name = plan.name;
    out.order = plan.order;
    out.ranks = plan.mesh.dp * plan.mesh.pp * plan.mesh.tp;
    out.step = plan.predicted.step;
    out.bound = plan.predicted.bound;
    out.tokensPerSecond = plan.predicted.tokensPerSecond;
    out.freeBytes = plan.ranks.empty() ? 0 : std::numeric_limits<std::int64_t>::max();
    for (const protocol::RankInfo& rank : plan.ranks) {
        out.peakBytes = std::max(out.peakBytes, rank.ledger.total);
        out.freeBytes = std::min(out.freeBytes, rank.capacity - rank.ledger.total);
    }
    return out;
}

// What a document has besides the plan itself.
Json without(const Json& object, std::initializer_list<std::string_view> keys) {
    Json out = Json::object();
    for (const auto& [key, value] : object.members()) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            out.append(key, value);
    }
    return out;
}

double savedAt(const fs::path& path) {
    std::error_code problem;
    const auto time = fs::last_write_time(path, problem);
    if (problem)
        return 0;
    const auto system = std::chrono::file_clock::to_sys(time);
    return std::chrono::duration<double>(system.time_since_epoch()).count();
}

bool isName(const std::string& name) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= kMaxName && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), fits);
}

Result<protocol::SavedPlan> readSaved(const fs::path& path) {
    FL_TRY(const PlanFile file, readPlanFile(path.string()));
    protocol::SavedPlan out;
    out.name = path.stem().string();
    out.savedAt = savedAt(path);
    out.settings = file.settings;
    out.plan = inOneLine(file.plan);
    out.verdict = file.plan.verdict;
    return out;
}

}  // namespace

Json planDocument(const protocol::PlanInfo& plan, const protocol::JobSettings& settings) {
    Json out = protocol::encode(plan);
    Json::Array ranks = out["ranks"].items();
    for (std::size_t i = 0; i < ranks.size(); ++i)
        ranks[i].set("layers", plan.ranks[i].endLayer - plan.ranks[i].firstLayer);
    out.set("ranks", std::move(ranks));
    out.set("settings", protocol::encode(settings));
    return out;
}

Result<PlanFile> readPlanFile(const std::string& path) {
    FL_TRY(const Json json, Json::parseFile(path));
    if (!json["mesh"].isObject() || !json["ranks"].isArray() || !json["settings"].isObject())
        return Error{ErrorCode::InvalidArgument,
                     path +
                         ": not a plan: it has no mesh, ranks and settings, as `plan --save` "
                         "writes them"};
    const auto settings = protocol::decode<protocol::JobSettings>(json["settings"]);
    if (!settings)
        return Error{settings.error().code, path + ": settings: " + settings.error().message};
    Json plan = without(json, {"settings", "findings"});
    Json::Array ranks;
    for (const Json& rank : json["ranks"].items())
        ranks.push_back(rank.isObject() ? without(rank, {"layers", "tensors"}) : rank);
    plan.set("ranks", std::move(ranks));
    const auto info = protocol::decode<protocol::PlanInfo>(plan);
    if (!info)
        return Error{info.error().code, path + ": " + info.error().message};
    return PlanFile{*info, *settings};
}

Status writePlanFile(const std::string& path,
                     const protocol::PlanInfo& plan,
                     const protocol::JobSettings& settings) {
    return writeFile(path, planDocument(plan, settings).dump(2) + "\n");
}

Result<std::string> SavedPlans::pathOf(const std::string& name) const {
    if (isName(name))
        return folder_ + "/" + name + std::string(kSuffix);
    return Error{ErrorCode::InvalidArgument,
                 "'" + name + "' cannot be a plan's name: 1 to " + std::to_string(kMaxName) +
                     " letters, digits, '.', '_' and '-', not beginning with '.'"};
}

Result<protocol::SavedPlans> SavedPlans::list() const {
    protocol::SavedPlans out;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(folder_, problem)) {
        if (entry.path().extension() != kSuffix)
            continue;
        auto plan = readSaved(entry.path());
        if (plan)
            out.plans.push_back(*std::move(plan));
        else
            log::warning("plan", "{}", plan.error().message);
    }
    std::sort(out.plans.begin(), out.plans.end(), [](const auto& a, const auto& b) {
        return std::pair(-a.savedAt, a.name) < std::pair(-b.savedAt, b.name);
    });
    return out;
}

Result<protocol::SavedPlan> SavedPlans::save(const std::string& name,
                                             const protocol::PlanInfo& plan,
                                             const protocol::JobSettings& settings) const {
    FL_TRY(const std::string path, pathOf(name));
    std::error_code problem;
    fs::create_directories(folder_, problem);
    if (problem)
        return Error{ErrorCode::Io, folder_ + ": " + problem.message()};
    FL_DO(writePlanFile(path, plan, settings));
    return readSaved(path);
}

Status SavedPlans::forget(const std::string& name) const {
    FL_TRY(const std::string path, pathOf(name));
    std::error_code problem;
    if (fs::remove(path, problem))
        return Done{};
    FL_TRY(const auto known, list());
    std::vector<std::string> names;
    for (const protocol::SavedPlan& plan : known.plans)
        names.push_back(plan.name);
    return Error{ErrorCode::NotFound, "no plan '" + name + "' is saved" + nearest(name, names)};
}

}  // namespace fl::service
