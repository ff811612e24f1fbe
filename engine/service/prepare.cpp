// SPDX-License-Identifier: Apache-2.0
#include "engine/service/prepare.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/device/cluster.h"
#include "engine/device/plugin_registry.h"
#include "engine/graph/runnable.h"
#include "engine/service/config_companions.h"
#include "engine/tokenizer/tokenizer_check.h"

namespace fl::service {

namespace {

template <class T, std::size_t N>
using Choices = std::array<std::pair<std::string_view, T>, N>;

// "auto" is exact arithmetic: speed has to be asked for.
constexpr Choices<plan::Compute, 3> kComputes = {
    {{"auto", plan::Compute::F32}, {"f32", plan::Compute::F32}, {"bf16", plan::Compute::BF16}}};
constexpr Choices<DType, 3> kKvTypes = {
    {{"auto", DType::F32}, {"f32", DType::F32}, {"bf16", DType::BF16}}};

template <class T, std::size_t N>
Result<T> choose(const Choices<T, N>& choices, std::string_view option, const std::string& value) {
    std::vector<std::string> names;
    for (const auto& [name, choice] : choices) {
        if (name == value)
            return choice;
        names.emplace_back(name);
    }
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{} '{}' is not one of {}{}", option, value, join(names, ", "),
                             nearest(value, names))};
}

std::optional<int> given(int number) {
    return number == 0 ? std::nullopt : std::optional<int>(number);
}

Status checkNumbers(const protocol::JobSettings& settings) {
    const std::array<std::pair<std::string_view, std::int64_t>, 6> numbers = {
        {{"tp", settings.tp},
         {"pp", settings.pp},
         {"ep", settings.ep},
         {"dp", settings.dp},
         {"max_context", settings.maxContext},
         {"max_sequences", settings.maxSequences}}};
    for (const auto& [name, value] : numbers) {
        if (value < 0) {
            return Error{
                ErrorCode::InvalidArgument,
                fmt::format("{} is {}: it counts something and cannot be negative", name, value)};
        }
    }
    return Done{};
}

// Of the tokenizer beside or inside the weights, against the rows of the embedding.
tokenizer::TokenizerFiles checkTokenizer(const Inspection& inspection) {
    const checkpoint::Checkpoint& checkpoint = *inspection.checkpoint;
    const recipe::Model& model = inspection.model;
    tokenizer::ModelIds ids;
    for (std::size_t i = 0; i < model.tensors.size() && i < model.graph.weights.size(); ++i) {
        const graph::Weight& weight = model.graph.weights[i];
        if (weight.kind == graph::WeightKind::Embedding && !model.tensors[i].empty())
            ids.embeddingRows = weight.shape[0];
    }
    if (ids.embeddingRows == 0)
        ids.embeddingRows = model.graph.vocabSize;
    if (checkpoint.format == checkpoint::Format::Gguf) {
        if (checkpoint.shards.empty() || checkpoint.shards.front().dataOffset == 0)
            return {};
        return {tokenizer::checkTokenizerGguf(
                    checkpoint.metadata, checkpoint.shards.front().fileName, ids.embeddingRows),
                {}};
    }
    // A single file stands for itself, and where there are no weights nothing belongs to them.
    if (checkpoint.path != checkpoint.folder || checkpoint.shards.empty())
        return {};
    ids.bos = checkpoint.config["bos_token_id"];
    ids.eos = checkpoint.config["eos_token_id"];
    ids.pad = checkpoint.config["pad_token_id"];
    return tokenizer::checkTokenizerFiles(checkpoint.folder, ids);
}

}  // namespace

Result<Inspection> inspectCheckpoint(const protocol::JobSettings& settings,
                                     const CancelToken& cancel) {
    Inspection out;
    FL_TRY(auto checkpoint, checkpoint::openCheckpoint(settings.checkpoint, cancel));
    out.checkpoint = std::make_unique<checkpoint::Checkpoint>(std::move(checkpoint));
    FL_TRY(out.model, recipe::buildModel(*out.checkpoint, settings.recipe, cancel));
    out.findings = out.checkpoint->findings;
    out.findings.insert(out.findings.end(), out.model.findings.begin(), out.model.findings.end());
    const tokenizer::TokenizerFiles words = checkTokenizer(out);
    completeFromCompanions(out.findings, words.said, out.checkpoint->generationConfig);
    out.findings.insert(out.findings.end(), words.findings.begin(), words.findings.end());
    for (Finding& finding : out.findings) {
        if (finding.stage.empty())
            finding.stage = "inspect";
    }
    out.findings = folded(std::move(out.findings));
    return out;
}

Result<plan::PlanOptions> planOptions(const protocol::JobSettings& settings) {
    FL_DO(checkNumbers(settings));
    plan::PlanOptions options;
    options.tp = given(settings.tp);
    options.pp = given(settings.pp);
    options.ep = given(settings.ep);
    options.dp = given(settings.dp);
    options.stageLayers = settings.stageLayers;
    FL_TRY(options.order, plan::orderFromText(settings.order));
    options.maxContext = settings.maxContext;
    options.maxSequences = settings.maxSequences;
    FL_TRY(options.compute, choose(kComputes, "compute", settings.compute));
    FL_TRY(options.kv, choose(kKvTypes, "kv", settings.kv));
    if (settings.offload != "none") {
        return Error{ErrorCode::Unsupported,
                     fmt::format("offload '{}' is not one of none", settings.offload)};
    }
    return options;
}

Result<Placement> placeModel(const Inspection& inspection,
                             const protocol::JobSettings& settings,
                             device::PluginRegistry& registry,
                             const CancelToken& cancel) {
    FL_TRY(auto cluster, device::describeCluster(registry, settings.cluster));
    return placeModel(inspection, settings, std::move(cluster), cancel);
}

Result<Placement> placeModel(const Inspection& inspection,
                             const protocol::JobSettings& settings,
                             topology::Cluster cluster,
                             const CancelToken& cancel) {
    FL_TRY(const plan::PlanOptions options, planOptions(settings));
    FL_DO(cancel.check("plan"));
    Placement out;
    out.cluster = std::move(cluster);
    FL_TRY(out.plan, plan::makePlan(inspection.model.graph, inspection.model.stored, out.cluster,
                                    options, cancel));
    const auto& blockers = inspection.model.unsupported;
    out.plan.findings.insert(out.plan.findings.end(), blockers.begin(), blockers.end());
    for (Finding& finding : out.plan.findings) {
        if (finding.stage.empty())
            finding.stage = "plan";
    }
    return out;
}

std::string checkpointText(const Inspection& inspection) {
    const checkpoint::Checkpoint& checkpoint = *inspection.checkpoint;
    std::int64_t bytes = 0;
    for (const checkpoint::TensorInfo& tensor : checkpoint.inventory.tensors())
        bytes += tensor.bytes;
    return fmt::format("{} tensors, {} bytes in {} files",
                       formatCount(static_cast<std::int64_t>(checkpoint.inventory.size())),
                       formatCount(bytes),
                       formatCount(static_cast<std::int64_t>(checkpoint.shards.size())));
}

std::optional<Finding> missingKernels(const Inspection& inspection) {
    const std::vector<std::string> missing =
        graph::missingKernels(inspection.model.graph, inspection.model.stored);
    if (missing.empty())
        return std::nullopt;
    Finding finding;
    finding.code = "kernels-missing";
    finding.stage = "launch";
    finding.message = fmt::format("{} can be inspected and planned, but not run yet: {} {} missing",
                                  inspection.model.architecture, missing.size(),
                                  missing.size() == 1 ? "kernel is" : "kernels are");
    finding.expected = "a kernel for every operator and weight format of the model";
    finding.found = "none for: " + join(missing, "; ");
    finding.remedy = "run it with a version that has these kernels";
    return finding;
}

protocol::JobSettings chosenSettings(const protocol::JobSettings& settings,
                                     const plan::Plan& plan) {
    protocol::JobSettings out = settings;
    out.tp = plan.mesh.tp;
    out.pp = plan.mesh.pp;
    out.ep = plan.mesh.ep;
    out.dp = plan.mesh.dp;
    out.stageLayers.clear();
    for (const plan::Stage& stage : plan.stages)
        out.stageLayers.push_back(stage.endLayer - stage.firstLayer);
    out.order = plan.options.order == plan::kUsualOrder ? "" : plan::text(plan.options.order);
    out.maxContext = plan.options.maxContext;
    out.maxSequences = plan.options.maxSequences;
    out.compute = computeName(plan.options.compute);
    out.kv = plan.options.kv == DType::BF16 ? "bf16" : "f32";
    return out;
}

std::string_view computeName(plan::Compute compute) {
    switch (compute) {
        case plan::Compute::F32:
            return "f32";
        case plan::Compute::BF16:
            return "bf16";
        case plan::Compute::Int8:
            return "int8";
    }
    return "f32";
}

std::string verdictOf(const std::vector<Finding>& findings) {
    if (hasErrors(findings))
        return "errors";
    const bool warned = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::Warning;
    });
    return warned ? "warnings" : "ok";
}

}  // namespace fl::service
