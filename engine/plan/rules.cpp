// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/rules.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/plan/weight_cuts.h"

namespace fl::plan {

using graph::Split;
using graph::Weight;

std::string listed(const std::vector<int>& values) {
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0)
            out += i + 1 == values.size() ? " or " : ", ";
        out += std::to_string(values[i]);
    }
    return out.empty() ? "none" : out;
}

static void addOnce(std::vector<std::int64_t>& list, std::int64_t value) {
    if (std::find(list.begin(), list.end(), value) == list.end())
        list.push_back(value);
}

// Projections that work in groups, and what reads their result, are cut by whole groups.
static void takeNode(const graph::Graph& graph, const graph::Node& node, Facts& facts) {
    for (const graph::WeightId id : node.weights) {
        const Weight& weight = graph.weights[static_cast<std::size_t>(id)];
        if (node.op == "grouped_linear" && weight.heads > 0)
            addOnce(facts.groups, weight.heads);
        const bool latent = node.op == "mla_attention" || node.op == "sparse_index" ||
                            weight.kind == graph::WeightKind::LatentProjections;
        if (latent)
            facts.latent[static_cast<std::size_t>(id)] = true;
    }
}

Facts gatherFacts(const graph::Graph& graph,
                  const std::vector<StoredWeight>& stored,
                  const topology::Cluster& cluster) {
    Facts facts;
    facts.graph = &graph;
    facts.stored = &stored;
    facts.latent.assign(graph.weights.size(), false);
    for (const topology::Node& node : cluster.nodes)
        facts.devices += static_cast<int>(node.devices.size());
    for (const graph::Node& node : graph.nodes)
        takeNode(graph, node, facts);
    for (const Weight& weight : graph.weights) {
        if (weight.split == Split::Expert)
            facts.experts = std::gcd(facts.experts, std::int64_t{weight.experts});
        const bool grouped =
            std::find(facts.groups.begin(), facts.groups.end(), weight.heads) != facts.groups.end();
        if (weight.heads > 0 && !grouped)
            addOnce(weight.shareable ? facts.kvHeads : facts.heads, weight.heads);
    }
    return facts;
}

namespace {

struct Question {
    const Facts& facts;
    const Mesh& mesh;
    const PlanOptions& options;
    const Partition& partition;  // on this mesh
};
using Findings = std::vector<Finding>;

struct Violation {
    std::string rule;
    std::string key;
    std::string message;
    std::string expected;
    std::string found;
    std::string remedy;
};

Finding& report(Findings& out, Violation violation) {
    Finding finding;
    finding.code = "plan-" + violation.rule;
    finding.stage = "plan";
    finding.key = std::move(violation.key);
    finding.message = std::move(violation.message);
    finding.expected = std::move(violation.expected);
    finding.found = std::move(violation.found);
    finding.remedy = std::move(violation.remedy);
    return out.emplace_back(std::move(finding));
}

bool shared(std::int64_t kvHeads, int tp) {
    return kvHeads % tp == 0 || tp % kvHeads == 0;
}

// EP neither within nor across tensor parallel groups in whole steps.
bool meshOfExperts(const Mesh& mesh) {
    const bool within = mesh.tp % mesh.ep == 0;
    return within || (mesh.ep % mesh.tp == 0 && (mesh.dp * mesh.tp) % mesh.ep == 0);
}

// Values that satisfy all rules about TP, not only the one that is broken.
std::string tpChoices(const Facts& facts) {
    std::int64_t most = facts.heads.empty() ? 64 : facts.heads.front();
    most = std::min<std::int64_t>(most, 1024);
    return "TP " + listed(legalTp(facts, static_cast<int>(most)));
}

std::string epChoices(const Question& asked) {
    return "EP " + listed(legalEp(asked.facts, asked.mesh));
}

constexpr std::int64_t kMostRanks = 1024;  // along one axis

void within(Findings& out, const char* key, std::int64_t value, std::int64_t most) {
    if (value >= 1 && value <= most)
        return;
    report(out,
           {"number", key, fmt::format("{} cannot be {}", key, value), fmt::format("1 to {}", most),
            std::to_string(value), fmt::format("give a {} from 1 to {}", key, most)});
}

// Of counts that every plan needs.
void numbers(const Question& asked, Findings& out) {
    within(out, "dp", asked.mesh.dp, kMostRanks);
    within(out, "pp", asked.mesh.pp, kMostRanks);
    within(out, "tp", asked.mesh.tp, kMostRanks);
    within(out, "ep", asked.mesh.ep, kMostRanks * kMostRanks);
    within(out, "max-sequences", asked.options.maxSequences, 65'536);
    within(out, "max-batch-tokens", asked.options.maxBatchTokens, 1'048'576);
    within(out, "page-tokens", asked.options.pageTokens, 4096);
}

void heads(const Question& asked, Findings& out) {
    const int tp = asked.mesh.tp;
    for (const std::int64_t count : asked.facts.heads) {
        if (count % tp == 0)
            continue;
        const std::string choices = tpChoices(asked.facts);
        report(out,
               {"heads", "tp",
                fmt::format("{} attention heads cannot be divided over TP {}", count, tp), choices,
                std::to_string(tp), fmt::format("{} heads allow {}", count, choices)});
    }
}

// Where TP exceeds them, ranks hold copies: the note plan-kv-copies prices these.
void keyHeads(const Question& asked, Findings& out) {
    const int tp = asked.mesh.tp;
    for (const std::int64_t count : asked.facts.kvHeads) {
        if (shared(count, tp))
            continue;
        const std::string choices = tpChoices(asked.facts);
        report(out, {"kv-heads", "tp",
                     fmt::format("{} key/value heads can neither be divided over TP {} nor shared "
                                 "by whole groups of its ranks",
                                 count, tp),
                     choices, std::to_string(tp), "choose " + choices});
    }
}

void groups(const Question& asked, Findings& out) {
    const int tp = asked.mesh.tp;
    for (const std::int64_t count : asked.facts.groups) {
        if (count % tp == 0)
            continue;
        const std::string choices = tpChoices(asked.facts);
        report(out,
               {"groups", "tp",
                fmt::format("{} groups of a grouped projection cannot be divided over TP {}", count,
                            tp),
                choices, std::to_string(tp), fmt::format("{} groups allow {}", count, choices)});
    }
}

void layers(const Question& asked, Findings& out) {
    const int count = asked.facts.graph->layerCount;
    if (asked.mesh.pp <= count)
        return;
    report(out, {"layers", "pp",
                 fmt::format("{} pipeline stages are more than the model's {} layers",
                             asked.mesh.pp, count),
                 fmt::format("PP 1 to {}", count), std::to_string(asked.mesh.pp),
                 fmt::format("choose PP of at most {}", count)});
}

void stageLayers(const Question& asked, Findings& out) {
    const int count = asked.facts.graph->layerCount;
    const auto& given = asked.options.stageLayers;
    const int sum = std::accumulate(given.begin(), given.end(), 0);
    const bool positive = std::all_of(given.begin(), given.end(), [](int n) { return n > 0; });
    const bool fits = static_cast<int>(given.size()) == asked.mesh.pp && sum == count && positive;
    if (given.empty() || fits)
        return;
    report(out, {"stage-layers", "stage-layers", "the layers per stage do not make up the model",
                 fmt::format("{} numbers of at least 1 with sum {}", asked.mesh.pp, count),
                 fmt::format("{} numbers with sum {}", given.size(), sum),
                 "give one number per stage, or none"});
}

void experts(const Question& asked, Findings& out) {
    const std::int64_t count = asked.facts.experts;
    const int ep = asked.mesh.ep;
    if (count == 0 && ep > 1) {
        report(out, {"experts", "ep", "the model has no experts to spread", "EP 1",
                     std::to_string(ep), "leave EP at 1"});
    }
    if (count == 0 || count % ep == 0)
        return;
    const std::string choices = epChoices(asked);
    report(out, {"experts", "ep", fmt::format("{} experts cannot be divided over EP {}", count, ep),
                 choices, std::to_string(ep), "choose " + choices});
}

void expertMesh(const Question& asked, Findings& out) {
    const Mesh& mesh = asked.mesh;
    if (asked.facts.experts == 0 || meshOfExperts(mesh))
        return;
    const std::string choices = epChoices(asked);
    report(out, {"expert-mesh", "ep",
                 fmt::format("EP {} neither divides TP {} nor is a multiple of it that divides "
                             "DP × TP = {}",
                             mesh.ep, mesh.tp, mesh.dp * mesh.tp),
                 choices, std::to_string(mesh.ep), "choose " + choices});
}

void devices(const Question& asked, Findings& out) {
    const int count = asked.facts.devices;
    const std::int64_t ranks = std::int64_t{asked.mesh.dp} * asked.mesh.pp * asked.mesh.tp;
    if (ranks <= count)
        return;
    report(out, {"devices", "tp",
                 fmt::format("{} needs {} devices and the cluster has {}", text(asked.mesh), ranks,
                             count),
                 fmt::format("DP × PP × TP of at most {}", count), std::to_string(ranks),
                 "choose fewer ranks, or a larger cluster"});
}

void context(const Question& asked, Findings& out) {
    const std::int64_t limit = asked.facts.graph->contextLength;
    const std::int64_t wanted = asked.options.maxContext;
    if (wanted <= limit && wanted > 0)
        return;
    report(out, {"context", "max-context",
                 fmt::format("a context of {} tokens is not one the model can have",
                             formatCount(wanted)),
                 fmt::format("1 to {}", formatCount(limit)), formatCount(wanted),
                 fmt::format("choose --max-context of at most {}", limit)});
}

// Weights of one kind that cannot be cut; the first one speaks for all of them.
struct Misfit {
    std::int64_t count = 0;
    graph::WeightId first = 0;
    WeightCut cut;
};

Misfit misfits(const Question& asked, CutRule rule) {
    Misfit out;
    for (std::size_t i = 0; i < asked.facts.graph->weights.size(); ++i) {
        const auto id = static_cast<graph::WeightId>(i);
        const WeightCut cut = weightCut(asked.facts, asked.partition, id);
        if (cut.fits || cutRuleOf(asked.facts, id) != rule)
            continue;
        if (out.count++ == 0) {
            out.first = id;
            out.cut = cut;
        }
    }
    return out;
}

void reportCut(const Question& asked, const Misfit& misfit, Violation violation, Findings& out) {
    const auto index = static_cast<std::size_t>(misfit.first);
    const Weight& weight = asked.facts.graph->weights[index];
    const std::string units =
        misfit.cut.unit > 1 ? fmt::format(" of whole blocks of {}", misfit.cut.unit) : "";
    violation.message = fmt::format(
        "{} of {} ({}) cannot be cut into {} parts{}", weight.shape.text(), weight.tensor,
        fl::name((*asked.facts.stored)[index].dtype), misfit.cut.parts, units);
    Finding& finding = report(out, std::move(violation));
    finding.tensor = weight.tensor;
    finding.count = misfit.count;
}

void cutsByTp(const Question& asked, CutRule rule, const char* code, Findings& out) {
    const Misfit misfit = misfits(asked, rule);
    if (misfit.count == 0)
        return;
    const std::string choices = tpChoices(asked.facts);
    reportCut(asked, misfit,
              {code, "tp", "", choices, std::to_string(asked.mesh.tp), "choose " + choices}, out);
}

// It may be cut unevenly, but every rank has some rows of it.
void vocabulary(const Question& asked, Findings& out) {
    cutsByTp(asked, CutRule::Vocabulary, "vocabulary", out);
}

// Heads that are expanded out of a latent space, projections into one.
void latents(const Question& asked, Findings& out) {
    cutsByTp(asked, CutRule::Latents, "latents", out);
}

void blocks(const Question& asked, Findings& out) {
    cutsByTp(asked, CutRule::Blocks, "alignment", out);
}

void expertBlocks(const Question& asked, Findings& out) {
    const Misfit misfit = misfits(asked, CutRule::Experts);
    if (misfit.count == 0)
        return;
    const Mesh& mesh = asked.mesh;
    std::vector<int> legal;
    for (int ep = 1; ep <= mesh.dp * mesh.tp; ++ep) {
        const Mesh other{mesh.dp, mesh.pp, mesh.tp, ep};
        if (asked.facts.experts % ep == 0 && meshOfExperts(other) &&
            weightsFit(asked.facts, other, CutRule::Experts))
            legal.push_back(ep);
    }
    reportCut(asked, misfit,
              {"expert-blocks", "ep", "", "EP " + listed(legal), std::to_string(mesh.ep),
               "choose a larger EP, so that experts stay whole"},
              out);
}

// In the order in which they are reported.
constexpr std::array kRules = {heads,   keyHeads,     groups,  layers,     stageLayers,
                               experts, expertMesh,   devices, vocabulary, latents,
                               blocks,  expertBlocks, context};

int orOne(int value, std::int64_t most) {
    return value >= 1 && value <= most ? value : 1;
}

}  // namespace

std::vector<Finding> checkShape(const Facts& facts, const Mesh& mesh, const PlanOptions& options) {
    const Mesh sane{orOne(mesh.dp, kMostRanks), orOne(mesh.pp, kMostRanks),
                    orOne(mesh.tp, kMostRanks), orOne(mesh.ep, kMostRanks * kMostRanks)};
    const Partition partition(*facts.graph, *facts.stored, sane);
    Findings out;
    numbers({facts, mesh, options, partition}, out);
    for (const auto& rule : kRules)
        rule({facts, sane, options, partition}, out);
    return out;
}

bool tpFits(const Facts& facts, int tp) {
    const auto divides = [tp](std::int64_t heads) { return heads % tp == 0; };
    const auto shares = [tp](std::int64_t heads) { return shared(heads, tp); };
    if (!std::all_of(facts.heads.begin(), facts.heads.end(), divides) ||
        !std::all_of(facts.groups.begin(), facts.groups.end(), divides) ||
        !std::all_of(facts.kvHeads.begin(), facts.kvHeads.end(), shares))
        return false;
    // Experts may stay whole, so that they never forbid a TP.
    return weightsFit(facts, {.dp = 1, .pp = 1, .tp = tp, .ep = facts.experts > 0 ? tp : 1});
}

bool epFits(const Facts& facts, const Mesh& mesh) {
    if (facts.experts == 0)
        return mesh.ep == 1;
    return facts.experts % mesh.ep == 0 && meshOfExperts(mesh) && weightsFit(facts, mesh);
}

std::vector<int> legalTp(const Facts& facts, int most) {
    std::vector<int> out;
    for (int tp = 1; tp <= most; ++tp) {
        if (tpFits(facts, tp))
            out.push_back(tp);
    }
    return out;
}

std::vector<int> legalEp(const Facts& facts, const Mesh& mesh) {
    std::vector<int> out;
    for (int ep = 1; ep <= mesh.dp * mesh.tp; ++ep) {
        const bool divides = (mesh.dp * mesh.tp) % ep == 0;
        if (divides && epFits(facts, {mesh.dp, mesh.pp, mesh.tp, ep}))
            out.push_back(ep);
    }
    return out;
}

static Category largestPart(const Ledger& ledger) {
    const auto largest = std::max_element(ledger.bytes.begin(), ledger.bytes.end());
    return static_cast<Category>(largest - ledger.bytes.begin());
}

// What less of a cache would do.
static std::string shrinks(const Plan& plan) {
    const std::int64_t context = plan.fit.context < plan.options.maxContext ? plan.fit.context : 0;
    const int sequences = plan.fit.sequences;
    const bool fewer = sequences > 0 && sequences < plan.options.maxSequences;
    if (context > 0 && fewer)
        return fmt::format("--max-context {} or --max-sequences {} would fit", context, sequences);
    if (context > 0)
        return fmt::format("--max-context {} would fit", context);
    if (fewer)
        return fmt::format("--max-sequences {} would fit", sequences);
    return "spread the model over more devices, or allow more memory";
}

std::vector<Finding> checkMemory(const Plan& plan) {
    const RankPlan* worst = nullptr;
    std::int64_t count = 0;
    for (const RankPlan& rank : plan.ranks) {
        if (rank.ledger.free() >= 0)
            continue;
        ++count;
        if (!worst || rank.ledger.free() < worst->ledger.free())
            worst = &rank;
    }
    if (!worst)
        return {};
    const Ledger& ledger = worst->ledger;
    const Category largest = largestPart(ledger);
    Finding finding;
    finding.code = "plan-memory";
    finding.stage = "plan";
    finding.key = "memory";
    finding.rank = worst->rank;
    finding.count = count;
    finding.message =
        fmt::format("rank {} needs {} and its device allows {}; the largest part is {} with {}",
                    worst->rank, formatBytes(ledger.total()), formatBytes(ledger.capacity),
                    name(largest), formatBytes(ledger[largest]));
    finding.expected = "at most " + formatBytes(ledger.capacity);
    finding.found = formatBytes(ledger.total());
    finding.remedy = shrinks(plan);
    return {finding};
}

}  // namespace fl::plan
