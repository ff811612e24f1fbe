// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/context.h"

#include <algorithm>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/job_file.h"
#include "engine/protocol/codec.h"
#include "engine/service/prepare.h"

namespace fl::app {

namespace {

template <class T, class U>
void replace(U& setting, const std::optional<T>& option) {
    if (option)
        setting = *option;
}

// Columns are aligned by characters, not bytes.
std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

CLI::App* addVerb(CLI::App& program, Context& context, const char* name, const char* does) {
    CLI::App* verb = program.add_subcommand(name, does);
    verb->add_flag("--json", context.json, "One JSON document on standard output");
    verb->add_flag("--quiet", context.quiet, "No progress and no log on standard error");
    verb->add_option("--log-level", context.logLevel, "debug, info, warning, error or off");
    return verb;
}

void addRecipeOption(CLI::App& verb, JobOptions& options) {
    verb.add_option("--recipe", options.recipe,
                    "Recipe by name or .lua file; default: by architecture");
}

void addPlanOptions(CLI::App& verb, JobOptions& options) {
    verb.add_option("--job", options.jobFile, "Job file; options win over it");
    verb.add_option("--plan", options.planFile, "What `plan --json` printed");
    addRecipeOption(verb, options);
    verb.add_option("--cluster", options.cluster,
                    "local, cpu[:cards=N,memory=SIZE,threads=T], or a file");
    verb.add_option("--tp", options.tp, "Ranks that share each layer's tensors");
    verb.add_option("--pp", options.pp, "Pipeline stages");
    verb.add_option("--ep", options.ep, "Ranks over which a layer's experts are spread");
    verb.add_option("--dp", options.dp, "Replicas");
    verb.add_option("--stage-layers", options.stageLayers, "Layers of each stage")->delimiter(',');
    verb.add_option("--order", options.order,
                    "Which ranks are neighbours on the devices, nearest first: tp,pp,dp");
    verb.add_option("--max-context", options.maxContext, "Tokens per sequence");
    verb.add_option("--max-sequences", options.maxSequences, "Sequences at once, per replica");
    verb.add_option("--compute", options.compute, "auto, f32 or bf16");
    verb.add_option("--kv", options.kv, "auto, f32 or bf16");
    verb.add_option("--offload", options.offload, "none");
}

Result<protocol::JobSettings> settingsOf(const JobOptions& options) {
    protocol::JobSettings out;
    if (options.jobFile) {
        FL_TRY(out, readJobFile(*options.jobFile));
    }
    if (options.planFile)
        FL_DO(takePlanFile(*options.planFile, out));
    if (!options.checkpoint.empty())
        out.checkpoint = std::filesystem::absolute(options.checkpoint).lexically_normal().string();
    replace(out.job, options.job);
    replace(out.recipe, options.recipe);
    replace(out.cluster, options.cluster);
    replace(out.compute, options.compute);
    replace(out.kv, options.kv);
    replace(out.offload, options.offload);
    replace(out.order, options.order);
    replace(out.tp, options.tp);
    replace(out.pp, options.pp);
    replace(out.ep, options.ep);
    replace(out.dp, options.dp);
    replace(out.maxContext, options.maxContext);
    replace(out.maxSequences, options.maxSequences);
    if (!options.stageLayers.empty())
        out.stageLayers = options.stageLayers;
    if (out.checkpoint.empty())
        return Error{ErrorCode::InvalidArgument,
                     "no checkpoint given, neither here nor in a job file"};
    return out;
}

void printJson(const Json& document) {
    fmt::print("{}\n", document.dump(2));
    std::fflush(stdout);
}

int finishJson(Json document, const std::vector<Finding>& findings) {
    Json list = Json::array();
    for (const Finding& finding : findings)
        list.push(protocol::encode(finding));
    document.set("findings", std::move(list));
    document.set("verdict", service::verdictOf(findings));
    printJson(document);
    return hasErrors(findings) ? kNegative : kFine;
}

int finishText(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings)
        fmt::print("{}\n", text(finding));
    std::fflush(stdout);
    return hasErrors(findings) ? kNegative : kFine;
}

std::string table(const std::vector<std::string>& headings,
                  const std::vector<std::vector<std::string>>& rows,
                  const std::string& right) {
    std::vector<std::size_t> widths;
    for (const std::string& heading : headings)
        widths.push_back(widthOf(heading));
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(row[i]));
    }
    std::string out;
    const auto add = [&](const std::vector<std::string>& row) {
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const std::string space(widths[i] - widthOf(row[i]), ' ');
            line += i == 0 ? "" : "  ";
            line += i < right.size() && right[i] == 'r' ? space + row[i] : row[i] + space;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    };
    add(headings);
    for (const auto& row : rows)
        add(row);
    return out;
}

}  // namespace fl::app
