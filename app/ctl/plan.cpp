// SPDX-License-Identifier: Apache-2.0
// firstlightctl plan: will it fit on these cards, and how is it cut.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/ctl/context.h"
#include "app/linked_plugins.h"
#include "engine/base/text.h"
#include "engine/device/plugin_registry.h"
#include "engine/protocol/codec.h"
#include "engine/service/reports.h"
#include "engine/service/saved_plans.h"

namespace fl::app {

namespace {

struct PlanVerb {
    JobOptions job;
    bool search = false;
    bool tensors = false;
};

std::string layersOf(const protocol::RankInfo& rank) {
    return rank.endLayer > rank.firstLayer
               ? fmt::format("{}–{}", rank.firstLayer, rank.endLayer - 1)
               : "none";
}

void printRanks(const protocol::PlanInfo& plan) {
    std::vector<std::vector<std::string>> rows;
    for (const protocol::RankInfo& rank : plan.ranks) {
        rows.push_back({std::to_string(rank.rank), rank.node, rank.device,
                        std::to_string(rank.stage), layersOf(rank),
                        formatBytes(rank.ledger.weights), formatBytes(rank.ledger.kv),
                        formatBytes(rank.ledger.activations), formatBytes(rank.ledger.total),
                        formatBytes(rank.capacity)});
    }
    fmt::print("{}\n", table({"rank", "node", "device", "stage", "layers", "weights", "kv",
                              "activations", "total", "capacity"},
                             rows, "rllrlrrrrr"));
}

void printAlternatives(const protocol::PlanInfo& plan) {
    std::vector<std::vector<std::string>> rows;
    for (const protocol::AlternativeInfo& other : plan.alternatives) {
        rows.push_back({fmt::format("tp{}·pp{}·dp{}·ep{}", other.mesh.tp, other.mesh.pp,
                                    other.mesh.dp, other.mesh.ep),
                        formatBytes(other.peakBytes), formatBytes(other.freeBytes),
                        formatDuration(other.step)});
    }
    fmt::print("{}\n", table({"legal plan", "largest rank", "least free", "step"}, rows, "lrrr"));
}

void addTensors(const service::Inspection& inspection,
                const service::Placement& placement,
                Json& document) {
    Json::Array ranks = document["ranks"].items();
    for (Json& rank : ranks) {
        const auto slices = service::slicesReport(inspection, placement.plan,
                                                  static_cast<int>(rank["rank"].integer()));
        rank.set("tensors", protocol::encode(slices)["slices"]);
    }
    document.set("ranks", std::move(ranks));
}

void printTensors(const service::Inspection& inspection, const service::Placement& placement) {
    for (const plan::RankPlan& rank : placement.plan.ranks) {
        std::vector<std::vector<std::string>> rows;
        for (const protocol::SliceInfo& slice :
             service::slicesReport(inspection, placement.plan, rank.rank).slices) {
            rows.push_back({slice.tensor,
                            slice.axis < 0 ? "all"
                                           : fmt::format("axis {}, {}–{}", slice.axis, slice.begin,
                                                         slice.end - 1),
                            slice.dtype, formatBytes(slice.bytes), slice.file});
        }
        fmt::print("rank {}\n{}\n", rank.rank,
                   table({"tensor", "slice", "type", "bytes", "file"}, rows, "lllrl"));
    }
}

Result<int> plan(const Context& context, const PlanVerb& verb) {
    FL_TRY(const auto settings, settingsOf(verb.job));
    FL_TRY(const auto inspection, service::inspectCheckpoint(settings, context.cancel));
    if (hasErrors(inspection.findings)) {
        return context.json ? finishJson(Json::object(), inspection.findings)
                            : finishText(inspection.findings);
    }
    device::PluginRegistry registry(linkedPlugins(), pluginFolders());
    FL_TRY(const auto placement,
           service::placeModel(inspection, settings, registry, context.cancel));
    FL_TRY(const protocol::PlanInfo info,
           service::planReport(inspection, placement, context.cancel));
    std::vector<Finding> findings = inspection.findings;
    findings.insert(findings.end(), placement.plan.findings.begin(), placement.plan.findings.end());
    const bool slices = verb.tensors && !hasErrors(findings);
    if (context.json) {
        Json out = service::planDocument(info, settings);
        if (slices)
            addTensors(inspection, placement, out);
        return finishJson(std::move(out), findings);
    }
    // What breaks a rule of shape has no step to predict.
    const std::string step =
        info.ranks.empty() ? ""
                           : fmt::format("; step {} ({})", formatDuration(info.predicted.step),
                                         info.predicted.bound);
    fmt::print("{}: context {}, {} sequences, compute {}, kv {}{}\n\n", info.name,
               formatCount(info.maxContext), info.maxSequences, info.compute, info.kv, step);
    printRanks(info);
    if (verb.search || hasErrors(findings))
        printAlternatives(info);
    if (slices)
        printTensors(inspection, placement);
    return finishText(findings);
}

}  // namespace

void addPlan(CLI::App& program, Context& context) {
    CLI::App* verb =
        addVerb(program, context, "plan", "Whether it fits on these cards, and how it is cut");
    const auto options = std::make_shared<PlanVerb>();
    verb->add_option("CHECKPOINT", options->job.checkpoint, "Folder, .safetensors or .gguf");
    addPlanOptions(*verb, options->job);
    verb->add_flag("--search", options->search, "Rank all legal plans");
    verb->add_flag("--tensors", options->tensors, "List every slice");
    verb->footer(
        "Example: firstlightctl plan MODEL --cluster cpu:cards=6,memory=2GiB --tp 3 --pp 2");
    verb->callback([&context, options] {
        context.run = [&context, options] { return plan(context, *options); };
    });
}

}  // namespace fl::app
