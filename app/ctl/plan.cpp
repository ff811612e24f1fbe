// SPDX-License-Identifier: Apache-2.0
// firstlightctl plan: will it fit on these cards, and how is it cut.
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "app/ctl/context.h"
#include "app/ctl/plan_text.h"
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
    std::string save;
    std::vector<std::string> compare;
};

// What a search found so far, on one line of a terminal.
void showProgress(const plan::SearchState& state) {
    const std::string best = state.best.empty()
                                 ? "none yet"
                                 : fmt::format("{} with {} a step", plan::text(state.best[0].mesh),
                                               formatDuration(state.best[0].predicted.stepSeconds));
    fmt::print(stderr, "\r\x1b[K{} of {} meshes, {} legal, best {}{}", formatCount(state.tried),
               formatCount(state.total), formatCount(state.legal), best, state.done ? "\n" : "");
    std::fflush(stderr);
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

// The plans of `--search`: as many as anybody reads.
constexpr std::size_t kSearched = 50;

// Ctrl+C ends the search; what it has found until then is shown.
protocol::SearchProgress searchAll(const Context& context,
                                   const service::Inspection& inspection,
                                   const service::Placement& placement) {
    plan::SearchOptions search;
    search.limit = kSearched;
    search.cancel = context.cancel;
    if (!context.quiet && ::isatty(STDERR_FILENO) == 1)
        search.onProgress = showProgress;
    return service::searchReport(plan::searchPlans(inspection.model.graph, inspection.model.stored,
                                                   placement.cluster,
                                                   plan::freed(placement.plan.options), search));
}

std::string searchHeading(const protocol::SearchProgress& search) {
    return fmt::format("{}{} of {} meshes tried in {}, {} legal",
                       search.cancelled ? "Called off: " : "", formatCount(search.tried),
                       formatCount(search.total), formatDuration(search.seconds),
                       formatCount(search.legal));
}

Json searchDocument(const protocol::SearchProgress& search) {
    Json out = Json::object();
    out.append("tried", search.tried);
    out.append("total", search.total);
    out.append("legal", search.legal);
    out.append("seconds", search.seconds);
    out.append("cancelled", search.cancelled);
    return out;
}

// Errors of the checkpoint or of rules, and what launch would miss.
std::vector<Finding> findingsOf(const service::Inspection& inspection,
                                const service::Placement& placement) {
    std::vector<Finding> findings = inspection.findings;
    findings.insert(findings.end(), placement.plan.findings.begin(), placement.plan.findings.end());
    if (auto missing = service::missingKernels(inspection)) {
        missing->severity = Severity::Warning;  // a plan is what was asked for
        findings.push_back(*std::move(missing));
    }
    return findings;
}

void printPlan(const PlanVerb& verb,
               const service::Inspection& inspection,
               const service::Placement& placement,
               const protocol::PlanInfo& info,
               const protocol::SearchProgress& search,
               bool legal) {
    fmt::print("{}\n", planHeading(info));
    if (!info.ranks.empty())
        fmt::print("{}\n", rankTable(info));
    if (verb.search)
        fmt::print("{}\n{}\n", searchHeading(search), planTable(info.alternatives));
    if (!info.nearest.empty())
        fmt::print("Legal plans near it:\n{}\n", planTable(info.nearest));
    if (verb.tensors && legal)
        printTensors(inspection, placement);
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
    FL_TRY(auto info, verb.search ? service::proposalReport(inspection, placement, context.cancel)
                                  : service::planReport(inspection, placement, context.cancel));
    protocol::SearchProgress search;
    if (verb.search) {
        search = searchAll(context, inspection, placement);
        info.alternatives = search.best;
    }
    const std::vector<Finding> findings = findingsOf(inspection, placement);
    const auto chosen = service::chosenSettings(settings, placement.plan);
    if (!verb.save.empty())
        FL_DO(service::writePlanFile(verb.save, info, chosen));
    const bool legal = !hasErrors(placement.plan.findings);
    if (!context.json) {
        printPlan(verb, inspection, placement, info, search, legal);
        const int code = finishText(findings);
        return search.cancelled ? kInterrupted : code;
    }
    Json out = service::planDocument(info, chosen);
    if (verb.tensors && legal)
        addTensors(inspection, placement, out);
    if (verb.search)
        out.set("search", searchDocument(search));
    const int code = finishJson(std::move(out), findings);
    return search.cancelled ? kInterrupted : code;
}

Result<int> compare(const Context& context, const PlanVerb& verb) {
    FL_TRY(const auto one, service::readPlanFile(verb.compare[0]));
    FL_TRY(const auto other, service::readPlanFile(verb.compare[1]));
    if (context.json) {
        Json out = Json::object();
        out.set("one", service::planDocument(one.plan, one.settings));
        out.set("other", service::planDocument(other.plan, other.settings));
        return finishJson(std::move(out), {});
    }
    fmt::print("{}", comparison(verb.compare[0], one.plan, verb.compare[1], other.plan));
    return finishText({});
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
    verb->add_option("--save", options->save, "Write the plan to this file, for --plan");
    verb->add_option("--compare", options->compare, "Two files that --save wrote, side by side")
        ->expected(2);
    verb->footer(
        "Examples: firstlightctl plan MODEL --cluster cpu:cards=6,memory=2GiB --tp 3 --pp 2\n"
        "          firstlightctl plan MODEL --cluster resources/clusters/h200-4x8.json --search\n"
        "          firstlightctl plan --compare one.json other.json");
    verb->callback([&context, options] {
        context.run = [&context, options] {
            return options->compare.empty() ? plan(context, *options) : compare(context, *options);
        };
    });
}

}  // namespace fl::app
