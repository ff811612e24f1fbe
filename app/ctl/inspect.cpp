// SPDX-License-Identifier: Apache-2.0
// firstlightctl inspect: census, integrity and contract, from headers alone.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/ctl/context.h"
#include "engine/base/text.h"
#include "engine/protocol/codec.h"
#include "engine/service/reports.h"

namespace fl::app {

namespace {

Json byName(const std::vector<protocol::Named>& rows) {
    Json out = Json::object();
    for (const protocol::Named& row : rows)
        out.append(row.name, row.value);
    return out;
}

Json document(const protocol::Census& census) {
    Json out = protocol::encode(census);
    out.set("bytes_by_dtype", byName(census.bytesByDtype));
    out.set("bytes_by_kind", byName(census.bytesByKind));
    out.set("parameters_by_kind", byName(census.parametersByKind));
    out.set("distinct_layers", byName(census.distinctLayers));
    return out;
}

// "2 text, 1 vision"
std::string distinctText(const protocol::Census& census) {
    std::vector<std::string> parts;
    for (const protocol::Named& part : census.distinctLayers)
        parts.push_back(fmt::format("{} {}", part.value, part.name));
    return parts.empty() ? "none" : join(parts, ", ");
}

void printCensus(const protocol::Census& census) {
    fmt::print("{}\n", census.path);
    fmt::print("{} ({}), recipe {}\n", census.architecture, census.format, census.recipe);
    fmt::print("{} files, {} tensors, {} of weights in {} of files\n", formatCount(census.files),
               formatCount(census.tensors), formatBytes(census.tensorBytes),
               formatBytes(census.fileBytes));
    fmt::print("{} parameters, {} active per token; {} layers, {} distinct; context {}\n",
               formatCount(census.parameters), formatCount(census.activeParameters), census.layers,
               distinctText(census), formatCount(census.contextLength));
    fmt::print("contract: {} matched, {} missing, {} unexpected, {} ignored\n\n",
               formatCount(census.contract.matched), formatCount(census.contract.missing),
               formatCount(census.contract.unexpected), formatCount(census.contract.ignored));
    std::vector<std::vector<std::string>> rows;
    for (const protocol::Named& kind : census.bytesByKind) {
        std::int64_t parameters = 0;
        for (const protocol::Named& other : census.parametersByKind)
            parameters = other.name == kind.name ? other.value : parameters;
        rows.push_back({kind.name, formatCount(parameters), formatBytes(kind.value)});
    }
    fmt::print("{}\n", table({"kind", "parameters", "bytes"}, rows, "lrr"));
}

Result<int> inspect(const Context& context, const JobOptions& options) {
    FL_TRY(const auto settings, settingsOf(options));
    FL_TRY(const auto inspection, service::inspectCheckpoint(settings, context.cancel));
    const protocol::Census census = service::censusReport(inspection);
    if (context.json)
        return finishJson(document(census), inspection.findings);
    printCensus(census);
    return finishText(inspection.findings);
}

}  // namespace

void addInspect(CLI::App& program, Context& context) {
    CLI::App* verb = addVerb(program, context, "inspect",
                             "Census, integrity and contract of a checkpoint, from headers");
    const auto options = std::make_shared<JobOptions>();
    verb->add_option("CHECKPOINT", options->checkpoint, "Folder, .safetensors or .gguf")
        ->required();
    addRecipeOption(*verb, *options);
    verb->footer("Example: firstlightctl inspect ~/models/SmolLM2-135M-Instruct --json");
    verb->callback([&context, options] {
        context.run = [&context, options] { return inspect(context, *options); };
    });
}

}  // namespace fl::app
