// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/rules.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "engine/base/checked.h"
#include "engine/base/text.h"
#include "engine/plan/partition.h"

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

Facts gatherFacts(const graph::Graph& graph,
                  const std::vector<StoredWeight>& stored,
                  const topology::Cluster& cluster) {
    Facts facts;
    facts.graph = &graph;
    facts.stored = &stored;
    for (const topology::Node& node : cluster.nodes)
        facts.devices += static_cast<int>(node.devices.size());
    for (const Weight& weight : graph.weights) {
        if (weight.heads > 0)
            addOnce(weight.shareable ? facts.kvHeads : facts.heads, weight.heads);
        if (weight.split == Split::Expert)
            facts.experts = std::gcd(facts.experts, std::int64_t{weight.experts});
    }
    return facts;
}

namespace {

bool shared(std::int64_t kvHeads, int tp) {
    return kvHeads % tp == 0 || tp % kvHeads == 0;
}

// The smallest piece of a dimension that is cut freely or in whole heads; 0: not cut by `parts`.
struct Piece {
    std::int64_t size = 0;
    std::int64_t unit = 1;
    int parts = 1;
    bool fits() const { return ceilDivide(size, unit) >= parts; }
};

Piece freePiece(const Partition& partition, const Weight& weight, const Mesh& mesh) {
    const bool expert = weight.split == Split::Expert;
    const Split split = expert ? weight.expertSplit : weight.split;
    const int parts = expert ? std::max(1, mesh.tp / mesh.ep) : mesh.tp;
    const bool cuts = split == Split::Column || split == Split::Row || split == Split::Vocab;
    if (!cuts || weight.heads > 0)
        return {};
    const std::int64_t size = partSize(weight, split == Split::Row ? weight.shape.rank() - 1 : 0);
    return {size, partition.block(weight, size), parts};
}

// What the heads of one rank hold must be whole quantisation blocks.
bool headsAligned(const Facts& facts, std::size_t id, int tp) {
    const Weight& weight = facts.graph->weights[id];
    if (weight.heads == 0 || weight.heads % tp != 0 || tp == 1)
        return true;
    const StoredWeight& stored = (*facts.stored)[id];
    if (weight.split == Split::Row)
        return weight.shape[weight.shape.rank() - 1] / tp % stored.columnUnit() == 0;
    return weight.split != Split::Head || weight.shape[0] / tp % stored.blockRows == 0;
}

bool cutsFit(const Facts& facts, const Mesh& mesh) {
    const Partition partition(*facts.graph, *facts.stored, mesh);
    for (std::size_t id = 0; id < facts.graph->weights.size(); ++id) {
        const Piece piece = freePiece(partition, facts.graph->weights[id], mesh);
        if (!headsAligned(facts, id, mesh.tp) || (piece.size > 0 && !piece.fits()))
            return false;
    }
    return true;
}

class Rules {
public:
    Rules(const Facts& facts, const Mesh& mesh, const PlanOptions& options)
        : facts_(facts),
          mesh_(mesh),
          options_(options) {}

    std::vector<Finding> run() {
        if (!numbers())
            return std::move(findings_);
        heads();
        keyHeads();
        layers();
        experts();
        expertMesh();
        devices();
        alignment();
        context();
        return std::move(findings_);
    }

private:
    struct Violation {
        std::string rule;
        std::string key;
        std::string message;
        std::string expected;
        std::string found;
        std::string remedy;
    };

    void report(Violation violation) {
        Finding finding;
        finding.code = "plan-" + violation.rule;
        finding.stage = "plan";
        finding.key = std::move(violation.key);
        finding.message = std::move(violation.message);
        finding.expected = std::move(violation.expected);
        finding.found = std::move(violation.found);
        finding.remedy = std::move(violation.remedy);
        findings_.push_back(std::move(finding));
    }

    // Beyond these the other rules would count with numbers that mean nothing, or overflow.
    bool numbers() {
        const auto within = [&](const char* key, std::int64_t value, std::int64_t most) {
            if (value >= 1 && value <= most)
                return;
            report({"number", key, fmt::format("{} cannot be {}", key, value),
                    fmt::format("1 to {}", most), std::to_string(value),
                    fmt::format("give a {} from 1 to {}", key, most)});
        };
        constexpr std::int64_t kMostRanks = 1024;  // along one axis
        within("dp", mesh_.dp, kMostRanks);
        within("pp", mesh_.pp, kMostRanks);
        within("tp", mesh_.tp, kMostRanks);
        within("ep", mesh_.ep, kMostRanks * kMostRanks);
        within("max-sequences", options_.maxSequences, 65'536);
        within("max-batch-tokens", options_.maxBatchTokens, 1'048'576);
        within("page-tokens", options_.pageTokens, 4096);
        return findings_.empty();
    }

    std::string tpChoices() {
        std::int64_t most = facts_.heads.empty() ? 64 : facts_.heads.front();
        most = std::min<std::int64_t>(most, 1024);
        return "TP " + listed(legalTp(facts_, static_cast<int>(most)));
    }

    void heads() {
        for (const std::int64_t count : facts_.heads) {
            if (count % mesh_.tp == 0)
                continue;
            const std::string choices = tpChoices();
            report({"heads", "tp",
                    fmt::format("{} attention heads cannot be divided over TP {}", count, mesh_.tp),
                    choices, std::to_string(mesh_.tp),
                    fmt::format("{} heads allow {}", count, choices)});
        }
    }

    void keyHeads() {
        for (const std::int64_t count : facts_.kvHeads) {
            if (shared(count, mesh_.tp))
                continue;
            const std::string choices = tpChoices();
            report({"kv-heads", "tp",
                    fmt::format("{} key/value heads can neither be divided over TP {} nor shared "
                                "by whole groups of its ranks",
                                count, mesh_.tp),
                    choices, std::to_string(mesh_.tp), "choose " + choices});
        }
    }

    void layers() {
        const int count = facts_.graph->layerCount;
        if (mesh_.pp > count) {
            report({"layers", "pp",
                    fmt::format("{} pipeline stages are more than the model's {} layers", mesh_.pp,
                                count),
                    fmt::format("PP 1 to {}", count), std::to_string(mesh_.pp),
                    fmt::format("choose PP of at most {}", count)});
        }
        const auto& given = options_.stageLayers;
        if (given.empty())
            return;
        const int sum = std::accumulate(given.begin(), given.end(), 0);
        const bool positive = std::all_of(given.begin(), given.end(), [](int n) { return n > 0; });
        if (static_cast<int>(given.size()) == mesh_.pp && sum == count && positive)
            return;
        report({"stage-layers", "stage-layers", "the layers per stage do not make up the model",
                fmt::format("{} numbers of at least 1 with sum {}", mesh_.pp, count),
                fmt::format("{} numbers with sum {}", given.size(), sum),
                "give one number per stage, or none"});
    }

    void experts() {
        if (facts_.experts == 0 && mesh_.ep > 1) {
            report({"experts", "ep", "the model has no experts to spread", "EP 1",
                    std::to_string(mesh_.ep), "leave EP at 1"});
        }
        if (facts_.experts > 0 && facts_.experts % mesh_.ep != 0) {
            const std::string choices = "EP " + listed(legalEp(facts_, mesh_));
            report(
                {"experts", "ep",
                 fmt::format("{} experts cannot be divided over EP {}", facts_.experts, mesh_.ep),
                 choices, std::to_string(mesh_.ep), "choose " + choices});
        }
    }

    void expertMesh() {
        const bool within = mesh_.tp % mesh_.ep == 0;
        const bool across = mesh_.ep % mesh_.tp == 0 && (mesh_.dp * mesh_.tp) % mesh_.ep == 0;
        if (within || across || facts_.experts == 0)
            return;
        const std::string choices = "EP " + listed(legalEp(facts_, mesh_));
        report({"expert-mesh", "ep",
                fmt::format("EP {} neither divides TP {} nor is a multiple of it that divides "
                            "DP × TP = {}",
                            mesh_.ep, mesh_.tp, mesh_.dp * mesh_.tp),
                choices, std::to_string(mesh_.ep), "choose " + choices});
    }

    void devices() {
        if (mesh_.ranks() <= facts_.devices)
            return;
        report({"devices", "tp",
                fmt::format("{} needs {} devices and the cluster has {}", text(mesh_),
                            mesh_.ranks(), facts_.devices),
                fmt::format("DP × PP × TP of at most {}", facts_.devices),
                std::to_string(mesh_.ranks()), "choose fewer ranks, or a larger cluster"});
    }

    // The first weight that cannot be cut speaks for all of its kind.
    void alignment() {
        const Partition partition(*facts_.graph, *facts_.stored, mesh_);
        for (std::size_t id = 0; id < facts_.graph->weights.size(); ++id) {
            const Weight& weight = facts_.graph->weights[id];
            const Piece piece = freePiece(partition, weight, mesh_);
            if (headsAligned(facts_, id, mesh_.tp) && (piece.size == 0 || piece.fits()))
                continue;
            const StoredWeight& stored = (*facts_.stored)[id];
            const std::int64_t block =
                weight.split == Split::Head ? stored.blockRows : stored.columnUnit();
            const std::string choices = tpChoices();
            report({"alignment", "tp",
                    fmt::format(
                        "{} of {} ({}) cannot be cut into {} parts of whole blocks of {}",
                        weight.shape.text(), weight.tensor, fl::name((*facts_.stored)[id].dtype),
                        piece.size > 0 ? piece.parts : mesh_.tp, std::max(block, piece.unit)),
                    choices, std::to_string(mesh_.tp),
                    weight.split == Split::Expert ? "choose a larger EP, so that experts stay whole"
                                                  : "choose " + choices});
            findings_.back().tensor = weight.tensor;
            return;
        }
    }

    void context() {
        const std::int64_t limit = facts_.graph->contextLength;
        if (options_.maxContext <= limit && options_.maxContext > 0)
            return;
        report({"context", "max-context",
                fmt::format("a context of {} tokens is not one the model can have",
                            formatCount(options_.maxContext)),
                fmt::format("1 to {}", formatCount(limit)), formatCount(options_.maxContext),
                fmt::format("choose --max-context of at most {}", limit)});
    }

    const Facts& facts_;
    const Mesh& mesh_;
    const PlanOptions& options_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> checkShape(const Facts& facts, const Mesh& mesh, const PlanOptions& options) {
    return Rules(facts, mesh, options).run();
}

bool tpFits(const Facts& facts, int tp) {
    const auto divides = [tp](std::int64_t heads) { return heads % tp == 0; };
    const auto shares = [tp](std::int64_t heads) { return shared(heads, tp); };
    if (!std::all_of(facts.heads.begin(), facts.heads.end(), divides) ||
        !std::all_of(facts.kvHeads.begin(), facts.kvHeads.end(), shares))
        return false;
    // Experts may stay whole, so that they never forbid a TP.
    return cutsFit(facts, {.dp = 1, .pp = 1, .tp = tp, .ep = facts.experts > 0 ? tp : 1});
}

bool epFits(const Facts& facts, const Mesh& mesh) {
    if (facts.experts == 0)
        return mesh.ep == 1;
    const bool within = mesh.tp % mesh.ep == 0;
    const bool across = mesh.ep % mesh.tp == 0 && (mesh.dp * mesh.tp) % mesh.ep == 0;
    return facts.experts % mesh.ep == 0 && (within || across) && cutsFit(facts, mesh);
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

// The longest context that fits if only the cache shrinks; 0 if even none does.
static std::int64_t fittingContext(const Plan& plan, const Ledger& ledger) {
    const std::int64_t others = ledger.total() - ledger[Category::Kv];
    const std::int64_t room = ledger.capacity - others;
    if (room <= 0 || ledger[Category::Kv] == 0 || plan.kvPagesPerReplica == 0)
        return 0;
    const std::int64_t perPage = ledger[Category::Kv] / plan.kvPagesPerReplica;
    const std::int64_t pages = room / std::max<std::int64_t>(1, perPage);
    return pages / plan.options.maxSequences * plan.options.pageTokens;
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
    const std::int64_t context = fittingContext(plan, ledger);
    finding.remedy = context > 0 ? fmt::format("--max-context {} would fit", context)
                                 : "spread the model over more devices, or allow more memory";
    return {finding};
}

}  // namespace fl::plan
