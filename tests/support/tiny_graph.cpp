// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tiny_graph.h"

#include <utility>

#include <fmt/core.h>

namespace fl::test {

using namespace graph;  // NOLINT(google-build-using-namespace): this file only makes graphs

namespace {

class Builder {
public:
    explicit Builder(const TinyModel& model) : m_(model) {
        g_.model = "tiny";
        g_.layerCount = model.layers;
        g_.hiddenSize = model.hidden;
        g_.vocabSize = model.vocab;
        g_.contextLength = model.context;
    }

    Graph build() {
        const WeightId table =
            weight("embed.weight", {m_.vocab, m_.hidden}, Split::Vocab, WeightKind::Embedding);
        ValueId x = value("embed", m_.hidden);
        node("embedding", {}, {x}, {table}, "embed");
        for (layer_ = 0; layer_ < m_.layers; ++layer_)
            x = mlp(attention(x));
        x = norm(x, "norm.weight", 1);
        const ValueId rows = value("rows", m_.hidden, Rows::Sequences);
        node("gather_rows", {x}, {rows}, {}, "head");
        const WeightId head =
            m_.tied ? table
                    : weight("head.weight", {m_.vocab, m_.hidden}, Split::Vocab, WeightKind::Head);
        g_.output = value("logits", m_.vocab, Rows::Sequences);
        node("linear", {rows}, {g_.output}, {head}, "head");
        return std::move(g_);
    }

private:
    std::string prefix() const { return fmt::format("layers.{}.", layer_); }

    WeightId weight(const std::string& name, const Shape& shape, Split split, WeightKind kind) {
        Weight made;
        made.tensor = name;
        made.shape = shape;
        made.split = split;
        made.kind = kind;
        made.layer = layer_;
        g_.weights.push_back(made);
        return static_cast<WeightId>(g_.weights.size()) - 1;
    }

    ValueId value(const std::string& name, std::int64_t width, Rows rows = Rows::Tokens) {
        g_.values.push_back({name, width, rows, DType::F32, ""});
        return static_cast<ValueId>(g_.values.size()) - 1;
    }

    Node& node(const std::string& op,
               std::vector<ValueId> inputs,
               std::vector<ValueId> outputs,
               std::vector<WeightId> weights,
               const std::string& site) {
        Node made;
        made.op = op;
        made.inputs = std::move(inputs);
        made.outputs = std::move(outputs);
        made.weights = std::move(weights);
        made.layer = layer_;
        made.site = site;
        g_.nodes.push_back(std::move(made));
        return g_.nodes.back();
    }

    ValueId norm(ValueId x, const std::string& name, std::int64_t groups) {
        const std::int64_t width = g_.values[static_cast<std::size_t>(x)].width;
        const WeightId scale = weight(name, {width / groups}, Split::Replicate, WeightKind::Norms);
        const ValueId y = value(name + ".out", width);
        Node& made = node("rms_norm", {x}, {y}, {scale}, "norm");
        made.set("groups", groups);
        made.set("epsilon", 1e-5);
        return y;
    }

    ValueId heads(ValueId x, const std::string& name, std::int64_t count, bool shareable) {
        const std::int64_t width = count * m_.headDim;
        std::vector<WeightId> weights = {
            weight(prefix() + name, {width, m_.hidden}, Split::Head, WeightKind::Attention)};
        if (m_.attentionBias)
            weights.push_back(
                weight(prefix() + name + ".bias", {width}, Split::Head, WeightKind::Attention));
        for (const WeightId id : weights) {
            g_.weights[static_cast<std::size_t>(id)].heads = count;
            g_.weights[static_cast<std::size_t>(id)].shareable = shareable;
        }
        const ValueId y = value(prefix() + name + ".out", width);
        node("linear", {x}, {y}, weights, "attn");
        return y;
    }

    ValueId turned(ValueId x, std::int64_t count) {
        Node& made = node("rope", {x}, {x}, {}, "attn");
        made.set("heads", count);
        made.set("head_dim", m_.headDim);
        made.set("rotary", m_.headDim);
        made.set("interleaved", std::int64_t{0});
        made.set("type", std::string("default"));
        made.set("theta", 10000.0);
        return x;
    }

    ValueId attention(ValueId x) {
        const ValueId y = norm(x, prefix() + "attn_norm", 1);
        ValueId q = heads(y, "q", m_.heads, false);
        ValueId k = heads(y, "k", m_.kvHeads, true);
        const ValueId v = heads(y, "v", m_.kvHeads, true);
        if (m_.qkNorm) {
            q = norm(q, prefix() + "q_norm", m_.heads);
            k = norm(k, prefix() + "k_norm", m_.kvHeads);
        }
        g_.states.push_back(
            {prefix() + "kv", State::Kind::Paged, 2 * m_.kvHeads * m_.headDim, layer_});
        const ValueId mixed = value(prefix() + "mixed", m_.heads * m_.headDim);
        q = turned(q, m_.heads);
        k = turned(k, m_.kvHeads);
        Node& made = node("attention", {q, k, v}, {mixed}, {}, "attn");
        made.state = static_cast<StateId>(g_.states.size()) - 1;
        made.set("heads", m_.heads);
        made.set("kv_heads", m_.kvHeads);
        made.set("head_dim", m_.headDim);
        made.set("scale", 0.25);
        const WeightId o = weight(prefix() + "o", {m_.hidden, m_.heads * m_.headDim}, Split::Row,
                                  WeightKind::Attention);
        g_.weights[static_cast<std::size_t>(o)].heads = m_.heads;
        const ValueId out = value(prefix() + "attn", m_.hidden);
        node("linear", {mixed}, {out}, {o}, "attn");
        return sum(x, out, "mid");
    }

    ValueId sum(ValueId a, ValueId b, const std::string& name) {
        const ValueId y = value(prefix() + name, m_.hidden);
        node("add", {a, b}, {y}, {}, "residual");
        return y;
    }

    ValueId mlp(ValueId x) {
        const ValueId y = norm(x, prefix() + "mlp_norm", 1);
        return sum(x, m_.experts > 0 ? sparse(y) : dense(y), "out");
    }

    ValueId dense(ValueId y) {
        const auto cut = [&](const std::string& name) {
            const WeightId w =
                weight(prefix() + name, {m_.inner, m_.hidden}, Split::Column, WeightKind::DenseMlp);
            const ValueId out = value(prefix() + name + ".out", m_.inner);
            node("linear", {y}, {out}, {w}, "mlp");
            return out;
        };
        const ValueId gate = cut("gate");
        const ValueId up = cut("up");
        const ValueId inner = value(prefix() + "inner", m_.inner);
        node("silu_mul", {gate, up}, {inner}, {}, "mlp");
        const WeightId w =
            weight(prefix() + "down", {m_.hidden, m_.inner}, Split::Row, WeightKind::DenseMlp);
        const ValueId out = value(prefix() + "mlp", m_.hidden);
        node("linear", {inner}, {out}, {w}, "mlp");
        return out;
    }

    WeightId family(const std::string& name, const Shape& shape, Split each) {
        const WeightId id = weight(prefix() + "experts.{}." + name, shape, Split::Expert,
                                   WeightKind::RoutedExperts);
        g_.weights[static_cast<std::size_t>(id)].experts = m_.experts;
        g_.weights[static_cast<std::size_t>(id)].expertSplit = each;
        return id;
    }

    ValueId sparse(ValueId y) {
        const WeightId router = weight(prefix() + "router", {m_.experts, m_.hidden},
                                       Split::Replicate, WeightKind::Router);
        const ValueId logits = value(prefix() + "router.logits", m_.experts);
        node("linear", {y}, {logits}, {router}, "router");
        const ValueId ids = value(prefix() + "ids", m_.chosen);
        g_.values.back().dtype = DType::I32;
        const ValueId shares = value(prefix() + "shares", m_.chosen);
        Node& topk = node("router_topk", {logits}, {ids, shares}, {}, "router");
        topk.set("experts", std::int64_t{m_.experts});
        topk.set("k", std::int64_t{m_.chosen});
        topk.set("normalise", std::int64_t{1});
        const ValueId out = value(prefix() + "mlp", m_.hidden);
        const WeightId gate = family("gate", {m_.inner, m_.hidden}, Split::Column);
        const WeightId up = family("up", {m_.inner, m_.hidden}, Split::Column);
        const WeightId down = family("down", {m_.hidden, m_.inner}, Split::Row);
        Node& experts = node("moe_experts", {y, ids, shares}, {out}, {gate, up, down}, "experts");
        experts.set("experts", std::int64_t{m_.experts});
        experts.set("k", std::int64_t{m_.chosen});
        return out;
    }

    const TinyModel& m_;
    Graph g_;
    int layer_ = -1;
};

}  // namespace

Graph tinyGraph(const TinyModel& model) {
    return Builder(model).build();
}

std::vector<StoredWeight> storedAs(const Graph& graph, DType matrices) {
    std::vector<StoredWeight> out;
    for (const Weight& weight : graph.weights) {
        const bool matrix = weight.shape.rank() > 1;
        const DType dtype = matrix ? matrices : DType::F32;
        const std::int64_t inner = weight.shape[weight.shape.rank() - 1];
        const std::int64_t rows = matrix ? weight.shape[0] : 1;
        out.push_back({dtype, rows * rowBytes(dtype, inner).value_or(0)});
    }
    return out;
}

}  // namespace fl::test
