// SPDX-License-Identifier: Apache-2.0
// What a model computes: operators in execution order, the values between them, the weights they
// read and the state they keep. A recipe builds one graph for the whole model; a plan turns it into
// the graph of one rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/base/result.h"
#include "engine/base/shape.h"

namespace fl::graph {

using ValueId = std::int32_t;
using WeightId = std::int32_t;
using StateId = std::int32_t;
constexpr std::int32_t kNone = -1;

// What one row of a value stands for.
enum class Rows : std::uint8_t {
    Tokens,       // one per token of this replica's step
    Patches,      // one per image patch
    Sequences,    // one per token whose logits somebody wants
    GroupTokens,  // one per token of all replicas of the expert group (made by the plan)
};

struct Value {
    std::string name;        // "layer.3.q", for dumps and messages
    std::int64_t width = 0;  // elements per row
    Rows rows = Rows::Tokens;
    DType dtype = DType::F32;  // F32 or I32
    // The rung this value answers ("embed", "layer.3.attn", "logits"); empty for most. The plan
    // moves it behind the collective that completes the value.
    std::string tap;
};

// How a weight may be cut over the tensor-parallel ranks of a stage.
enum class Split : std::uint8_t {
    Replicate,
    Column,  // by output rows of [out, in]
    Row,     // by input columns of [out, in]; the product is then a partial sum
    Vocab,   // by rows, one per token id
    Head,    // by output rows, in whole heads
    Expert,  // by whole experts, then each expert by Column or Row
};
std::string_view name(Split split);

// For the census: bytes and parameters by kind.
enum class WeightKind : std::uint8_t {
    Embedding,
    Attention,  // with indexers, compressors and what linear attention has
    DenseMlp,
    RoutedExperts,
    SharedExperts,
    Router,
    Norms,
    Head,
    Residual,           // hyper-connections, attention over residuals
    LatentProjections,  // into a narrower space of the experts and back
    Vision,
    Projector,  // from the vision tower to the text model
    Mtp,        // draft layers that guess further tokens
    Other
};
constexpr std::size_t kWeightKindCount = 14;
std::string_view name(WeightKind kind);  // "dense_mlp"

// A tensor without which a weight cannot be read, and that is no weight itself: scales, a shape.
struct Companion {
    std::string tensor;  // a family, where the weight is one
    Shape shape;         // of one tensor (one expert's)
    std::vector<DType> dtypes;
};

// How the checkpoint stores a weight's values, where that is not one plain element each.
struct Packing {
    std::string name;             // "fp8 in blocks of 128 × 128"; empty: plain
    Shape shape;                  // of the stored tensor; rank 0: as the weight's
    std::int32_t perElement = 1;  // values in one stored element
    std::vector<DType> dtypes;    // that the stored tensor may have
    std::int64_t blockRows = 1;   // rows and columns of values that share a scale
    std::int64_t blockColumns = 1;
    std::vector<Companion> companions;
    bool plain() const { return name.empty(); }
};

struct Weight {
    // The checkpoint's own name. With experts > 0 it is a family: "{}" stands for 0 … experts−1;
    // a family without "{}" is one tensor with all experts along a leading dimension.
    std::string tensor;
    Shape shape;  // of one tensor (one expert's), as the checkpoint must have it
    Split split = Split::Replicate;
    WeightKind kind = WeightKind::Other;
    std::int32_t experts = 0;
    // Row, Column or Replicate: how one expert is cut when an expert group is smaller than TP.
    Split expertSplit = Split::Replicate;
    // Head splits, and Row splits of what heads produced: number of heads along the cut dimension.
    // 0: cut anywhere (respecting quantisation blocks).
    std::int64_t heads = 0;
    // Key/value heads: where TP exceeds `heads`, several ranks hold the same head.
    bool shareable = false;
    int layer = -1;  // −1: before the first layer; the layer count: behind the last
    // Lengths of parts that lie one behind the other along the dimension that is cut, and are cut
    // alike (fused gate and up, fused queries, keys and values). Empty: one part. Only where heads
    // are cut may the lengths differ.
    std::vector<std::int64_t> segments;
    // A table that nobody trained (experts by token id): no parameters.
    bool table = false;
    Packing packing;

    // One tensor holds the whole family.
    bool stacked() const;
    // The tensor's name for one expert; `tensor` itself without "{}".
    std::string expertName(std::int32_t expert) const;
    std::string expertName(std::int32_t expert, const Companion& companion) const;
    // As a file must have them: packed, and where stacked with the experts in front.
    Shape storedShape() const;
    Shape storedShape(const Companion& companion) const;
    // Tensors or experts that stand behind this weight: at least 1.
    std::int32_t parts() const { return experts > 0 ? experts : 1; }
};

// Bytes a sequence leaves behind: per token in pages, or once per sequence.
struct State {
    enum class Kind : std::uint8_t { Paged, Fixed };
    std::string name;  // "layer.3.kv"
    Kind kind = Kind::Paged;
    std::int64_t elements = 0;  // per token (Paged) or per sequence (Fixed)
    int layer = 0;
    std::optional<DType> dtype = std::nullopt;  // nothing: the KV type
    std::int64_t window = 0;                    // Paged: only so many last tokens are kept; 0: all
};

using Attribute = std::variant<std::int64_t, double, std::string, std::vector<double>>;
using Attributes = std::vector<std::pair<std::string, Attribute>>;

struct Node {
    std::string op;  // a name of op_list.cpp, or a collective the plan placed
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    std::vector<WeightId> weights;
    StateId state = kNone;
    Attributes attributes;
    int layer = -1;
    std::string site;  // "embed", "attn", "mlp", "router", "experts", "head"

    // Precondition for these: the operator's declaration requires the attribute.
    std::int64_t integer(std::string_view key) const;
    double real(std::string_view key) const;
    const std::string& text(std::string_view key) const;
    const std::vector<double>& reals(std::string_view key) const;
    const Attribute* find(std::string_view key) const;
    void set(std::string_view key, Attribute value);
};

struct Graph {
    std::string model;  // "llama"
    int layerCount = 0;
    std::int64_t hiddenSize = 0;
    std::int64_t vocabSize = 0;
    std::int64_t contextLength = 0;  // the model's own limit in tokens
    std::vector<Value> values;
    std::vector<Weight> weights;
    std::vector<State> states;
    std::vector<Node> nodes;
    ValueId output = kNone;  // the logits

    // Weights that belong to the model and not to this graph, because nothing computes with them:
    // draft layers. A checkpoint must have them nevertheless.
    std::vector<Weight> declared;
    // Checkpoint names that belong to the file but not to the model (prefix patterns with '*').
    std::vector<std::string> ignoredTensors;
    // The most patches that one image has; 0: no vision tower.
    std::int64_t imagePatches = 0;
};

// One line per weight, state and node: the golden text of recipe tests and `recipe check`. Layers
// that differ from an earlier one in nothing but their number are folded to "layers 1–29: as layer
// 0".
std::string dump(const Graph& graph);

// A number for each layer, the same for layers that differ in nothing but their own number.
std::vector<int> layerShapes(const Graph& graph);
// How many of those numbers there are.
int distinctLayers(const Graph& graph);

}  // namespace fl::graph
