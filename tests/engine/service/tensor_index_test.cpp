// SPDX-License-Identifier: Apache-2.0
#include "engine/service/tensor_index.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/service/reports.h"

namespace fl::service {
namespace {

struct Listed {
    std::string name;
    protocol::TensorForm form;
    int shard = 0;
};

std::vector<Listed> listAll(const TensorIndex& index, std::int64_t limit) {
    std::vector<Listed> out;
    for (std::int64_t offset = 0; offset < index.size(); offset += limit) {
        const auto page = index.page({offset, limit});
        EXPECT_EQ(page.total, index.size());
        EXPECT_EQ(page.offset, offset);
        const auto read =
            protocol::unpackTensors(page, [&](std::string_view name, std::size_t form, int shard) {
                out.push_back({std::string(name), page.forms[form], shard});
            });
        EXPECT_TRUE(read) << read.error().message;
    }
    return out;
}

Inspection inspect(const std::string& model) {
    protocol::JobSettings settings;
    settings.checkpoint = std::string(std::getenv("FIRSTLIGHT_TEST_DATA")) + "/models/" + model;
    auto inspection = inspectCheckpoint(settings);
    EXPECT_TRUE(inspection) << inspection.error().message;
    return std::move(*inspection);
}

TEST(TensorIndex, ListsEveryTensorOnceAndAsPeopleCount) {
    const Inspection inspection = inspect("tiny-qwen3-moe");
    const TensorIndex index(inspection);
    const std::vector<Listed> all = listAll(index, 7);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Listed& a, const Listed& b) {
        return naturalLess(a.name, b.name);
    }));
    const auto rows = tensorsReport(inspection, {}).tensors;
    ASSERT_EQ(all.size(), rows.size());
    for (const protocol::TensorRow& row : rows) {
        const auto found = std::find_if(
            all.begin(), all.end(), [&](const Listed& listed) { return listed.name == row.name; });
        ASSERT_NE(found, all.end()) << row.name;
        const protocol::TensorForm form{row.dtype, row.shape, row.bytes, row.contract, row.kind};
        EXPECT_EQ(found->form, form) << row.name;
        EXPECT_EQ(found->shard, row.shard) << row.name;
    }
}

// Names that are awkward for both orders, and tensors that are missing among them.
TEST(TensorIndex, OrdersAnyNames) {
    Inspection inspection;
    inspection.checkpoint = std::make_unique<checkpoint::Checkpoint>();
    for (const char* name :
         {"a.10.w", "a.9.w", "a.9", "a.10", "a-b.2.w", "a-b.11.w", "a", "a.", "a..x", "b10.w",
          "b9.w", "b9", "", "z.1.2.3", "z.1.10.3", "z.01.3", "layers.100.x", "layers.20.x"}) {
        checkpoint::TensorInfo tensor;
        tensor.name = name;
        inspection.checkpoint->inventory.add(tensor);
    }
    inspection.checkpoint->inventory.finish();
    inspection.model.contract.missing = 2;
    for (const char* name : {"a.9.v", "layers.3.x"}) {
        graph::Weight weight;
        weight.tensor = name;
        weight.shape = {4};
        inspection.model.graph.weights.push_back(weight);
    }
    const std::vector<Listed> all = listAll(TensorIndex(inspection), 100);
    ASSERT_EQ(all.size(), 20u);
    for (std::size_t i = 1; i < all.size(); ++i)
        EXPECT_TRUE(naturalLess(all[i - 1].name, all[i].name))
            << "'" << all[i - 1].name << "' before '" << all[i].name << "'";
    const auto missing = std::find_if(all.begin(), all.end(),
                                      [](const Listed& row) { return row.name == "layers.3.x"; });
    ASSERT_NE(missing, all.end());
    EXPECT_EQ(missing->form.contract, "missing");
    EXPECT_EQ(missing->shard, -1);
}

// A packed weight is not whole without its scales.
TEST(TensorIndex, ListsCompanionsThatAreMissing) {
    Inspection inspection;
    inspection.checkpoint = std::make_unique<checkpoint::Checkpoint>();
    for (const char* name : {"e.0.w_packed", "e.0.w_scale", "e.1.w_packed", "mtp.w"}) {
        checkpoint::TensorInfo tensor;
        tensor.name = name;
        inspection.checkpoint->inventory.add(tensor);
    }
    inspection.checkpoint->inventory.finish();
    graph::Weight experts;
    experts.tensor = "e.{}.w_packed";
    experts.experts = 2;
    experts.shape = {8, 64};
    experts.packing.companions.push_back({"e.{}.w_scale", {8, 2}, {DType::BF16}});
    inspection.model.graph.weights.push_back(experts);
    graph::Weight draft;
    draft.tensor = "mtp.w";
    draft.packing.companions.push_back({"mtp.w_scale", {1}, {DType::F32}});
    inspection.model.graph.declared.push_back(draft);
    inspection.model.contract.missing = 2;
    const auto missing = missingTensors(inspection);
    ASSERT_EQ(missing.size(), 2u);
    EXPECT_EQ(missing[0].name, "e.1.w_scale");
    EXPECT_EQ(missing[0].shape, (std::vector<std::int64_t>{8, 2}));
    EXPECT_EQ(missing[1].name, "mtp.w_scale");
}

TEST(TensorIndex, GivesNoPageBehindTheEnd) {
    const Inspection inspection = inspect("tiny-llama");
    const TensorIndex index(inspection);
    EXPECT_EQ(index.page({index.size() + 5, 10}).count, 0);
    EXPECT_EQ(index.page({-3, -1}).count, 0);
    EXPECT_EQ(index.page({0, std::int64_t{1} << 40}).count, index.size());
}

}  // namespace
}  // namespace fl::service
