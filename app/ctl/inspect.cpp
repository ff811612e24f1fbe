// SPDX-License-Identifier: Apache-2.0
// firstlightctl inspect: census, integrity and contract, from headers alone or with the values.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "app/ctl/context.h"
#include "engine/base/text.h"
#include "engine/checkpoint/deep_check.h"
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

// What --deep, --stats and --histogram add.
struct DeepChoice {
    bool deep = false;
    bool stats = false;
    std::string histogram;
};

// A line on the terminal, written over itself.
void showProgress(const checkpoint::DeepProgress& progress) {
    fmt::print(stderr, "\rreading values: {} of {}, {}/s, {} left   ",
               formatBytes(progress.bytesDone), formatBytes(progress.bytesTotal),
               formatBytes(static_cast<std::int64_t>(static_cast<double>(progress.bytesDone) /
                                                     std::max(progress.seconds, 1e-3))),
               formatDuration(progress.secondsLeft));
    std::fflush(stderr);
}

Json statsRow(const checkpoint::TensorInfo& tensor, const checkpoint::TensorStats& stats) {
    Json row = Json::object();
    row.append("tensor", tensor.name);
    row.append("values", stats.values);
    row.append("nan", stats.nan);
    row.append("infinite", stats.infinite);
    row.append("zero", stats.zero);
    row.append("min", stats.min);
    row.append("max", stats.max);
    row.append("mean", stats.mean);
    row.append("rms", stats.rms);
    row.append("hash", fmt::format("{:016x}", stats.hash));
    return row;
}

Json deepDocument(const checkpoint::Checkpoint& checkpoint,
                  const checkpoint::DeepReport& report,
                  bool stats) {
    Json out = Json::object();
    out.append("bytes", report.bytes);
    out.append("seconds", report.seconds);
    Json files = Json::array();
    for (std::size_t i = 0; i < checkpoint.shards.size(); ++i) {
        Json row = Json::object();
        row.append("file", checkpoint.shards[i].fileName);
        row.append("hash", fmt::format("{:016x}", report.fileHashes[i]));
        files.push(std::move(row));
    }
    out.append("files", std::move(files));
    Json tensors = Json::array();
    for (std::size_t i = 0; stats && i < report.stats.size(); ++i)
        tensors.push(statsRow(checkpoint.inventory.tensors()[i], report.stats[i]));
    if (stats)
        out.append("tensors", std::move(tensors));
    return out;
}

Result<checkpoint::DeepReport> readDeep(const Context& context,
                                        const checkpoint::Checkpoint& checkpoint) {
    checkpoint::DeepOptions options;
    options.cancel = context.cancel;
    const bool live = !context.quiet && ::isatty(STDERR_FILENO) == 1;
    if (live)
        options.progress = showProgress;
    auto report = checkpoint::deepCheck(checkpoint, options);
    if (live)
        fmt::print(stderr, "\n");
    return report;
}

Result<int> showHistogram(const Context& context,
                          const checkpoint::Checkpoint& checkpoint,
                          const std::string& tensor) {
    FL_TRY(const auto reply, service::histogramReport(checkpoint, {tensor, 32}, context.cancel));
    if (context.json) {
        printJson(protocol::encode(reply));
        return kFine;
    }
    fmt::print("{} {}: {} values, {} NaN, {} infinite, {} zero; mean {:.6g}, rms {:.6g}\n",
               reply.tensor, reply.dtype, formatCount(reply.values), formatCount(reply.nan),
               formatCount(reply.infinite), formatCount(reply.zero), reply.mean, reply.rms);
    const std::int64_t most = *std::max_element(reply.counts.begin(), reply.counts.end());
    const double step = (reply.max - reply.min) / static_cast<double>(reply.counts.size());
    for (std::size_t i = 0; i < reply.counts.size(); ++i) {
        constexpr std::int64_t kBar = 50;
        const auto bar = static_cast<std::size_t>(most > 0 ? reply.counts[i] * kBar / most : 0);
        fmt::print("{:>12.5g}  {:<50}  {}\n", reply.min + static_cast<double>(i) * step,
                   std::string(bar, '#'), formatCount(reply.counts[i]));
    }
    return kFine;
}

Result<int> inspect(const Context& context, const JobOptions& options, const DeepChoice& choice) {
    FL_TRY(const auto settings, settingsOf(options));
    FL_TRY(auto inspection, service::inspectCheckpoint(settings, context.cancel));
    const checkpoint::Checkpoint& checkpoint = *inspection.checkpoint;
    if (!choice.histogram.empty())
        return showHistogram(context, checkpoint, choice.histogram);
    std::optional<checkpoint::DeepReport> deep;
    if (choice.deep || choice.stats) {
        FL_TRY(deep, readDeep(context, checkpoint));
        auto& findings = inspection.findings;
        findings.insert(findings.end(), deep->findings.begin(), deep->findings.end());
        findings = folded(std::move(findings));
    }
    const protocol::Census census = service::censusReport(inspection);
    if (context.json) {
        Json out = document(census);
        if (deep)
            out.set("deep", deepDocument(checkpoint, *deep, choice.stats));
        return finishJson(std::move(out), inspection.findings);
    }
    printCensus(census);
    if (deep) {
        fmt::print("{} of values read in {}\n", formatBytes(deep->bytes),
                   formatDuration(deep->seconds));
    }
    return finishText(inspection.findings);
}

}  // namespace

void addInspect(CLI::App& program, Context& context) {
    CLI::App* verb = addVerb(program, context, "inspect",
                             "Census, integrity and contract of a checkpoint, from headers");
    const auto options = std::make_shared<JobOptions>();
    const auto choice = std::make_shared<DeepChoice>();
    verb->add_option("CHECKPOINT", options->checkpoint, "Folder, .safetensors or .gguf")
        ->required();
    addRecipeOption(*verb, *options);
    verb->add_flag("--deep", choice->deep, "Read every value: NaN, zeros, ranges, scales, hashes");
    verb->add_flag("--stats", choice->stats, "With --json: the figures of every tensor; as --deep");
    verb->add_option("--histogram", choice->histogram, "Only the values of this tensor");
    verb->footer("Example: firstlightctl inspect ~/models/SmolLM2-135M-Instruct --deep --json");
    verb->callback([&context, options, choice] {
        context.run = [&context, options, choice] { return inspect(context, *options, *choice); };
    });
}

}  // namespace fl::app
