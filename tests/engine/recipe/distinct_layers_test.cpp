// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/distinct_layers.h"

#include <gtest/gtest.h>

namespace fl::recipe {

static void add(Model& model, const std::string& tensor, graph::WeightKind kind, DType dtype) {
    graph::Weight weight;
    weight.tensor = tensor;
    weight.shape = {4, 4};
    weight.kind = kind;
    if (kind == graph::WeightKind::Mtp) {
        model.graph.declared.push_back(weight);
        return;
    }
    model.graph.weights.push_back(weight);
    model.stored.push_back({dtype, 32});
}

TEST(DistinctLayers, CountsSetsOfNamesTypesAndShapesByPart) {
    Model model;
    for (int i = 0; i < 3; ++i) {
        add(model, "layers." + std::to_string(i) + ".q", graph::WeightKind::Attention, DType::BF16);
        add(model, "tower.blocks." + std::to_string(i) + ".q", graph::WeightKind::Vision,
            DType::BF16);
        add(model, "tower.mergers." + std::to_string(i) + ".w", graph::WeightKind::Vision,
            DType::BF16);
    }
    add(model, "layers.3.q", graph::WeightKind::Attention, DType::F16);
    add(model, "layers.2.more", graph::WeightKind::Norms, DType::BF16);
    add(model, "projector.0.w", graph::WeightKind::Projector, DType::BF16);
    add(model, "embed", graph::WeightKind::Embedding, DType::BF16);
    add(model, "mtp.0.q", graph::WeightKind::Mtp, DType::BF16);
    add(model, "mtp.fc", graph::WeightKind::Mtp, DType::BF16);
    const auto counts = distinctLayers(model);
    EXPECT_EQ(counts,
              (std::map<std::string, std::int64_t>{{"mtp", 1}, {"text", 3}, {"vision", 1}}));
}

TEST(DistinctLayers, SaysNothingOfPartsThatAreNotThere) {
    EXPECT_TRUE(distinctLayers(Model()).empty());
}

}  // namespace fl::recipe
