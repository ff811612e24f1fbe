// SPDX-License-Identifier: Apache-2.0
#include "engine/service/reference_cases.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::service {
namespace {

std::string golden() {
    return std::string(std::getenv("FIRSTLIGHT_TEST_DATA")) + "/models/tiny-llama/golden";
}

TEST(ReferenceCases, ReadsACaseWithItsRungsInTheModelsOrder) {
    const auto cases = readReference(golden(), {"ids1"});
    ASSERT_TRUE(cases) << cases.error().message;
    ASSERT_EQ(cases->size(), 1u);
    const ReferenceCase& one = cases->front();
    EXPECT_FALSE(one.inputIds.empty());
    EXPECT_EQ(one.greedy.size(), one.greedyMargin.size());
    ASSERT_GE(one.rungs.size(), 6u);
    EXPECT_EQ(one.rungs[0], "embed");
    EXPECT_EQ(one.rungs[1], "layer.0.attn");
    EXPECT_EQ(one.rungs[2], "layer.0.mlp");
    EXPECT_EQ(one.rungs[3], "layer.0");
    EXPECT_EQ(one.rungs[one.rungs.size() - 2], "final_norm");
    EXPECT_EQ(one.rungs.back(), "logits");
    const auto logits = readArray(*one.file, "logits");
    ASSERT_TRUE(logits);
    EXPECT_EQ(logits->rows, static_cast<std::int64_t>(one.inputIds.size()));
    const auto last = readRows(*one.file, "logits", logits->rows - 1, 100);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->rows, 1);
    EXPECT_EQ(last->width, logits->width);
    EXPECT_EQ(last->values.back(), logits->values.back());
    EXPECT_EQ(readRows(*one.file, "logits", logits->rows, 100)->rows, 0);
    EXPECT_FALSE(readArray(*one.file, "no_such_array"));
}

TEST(ReferenceCases, TakesAllCasesWhenNoneIsNamed) {
    const auto cases = readReference(golden(), {});
    ASSERT_TRUE(cases);
    EXPECT_EQ(cases->size(), 3u);
    EXPECT_FALSE(cases->back().messages.empty());
}

TEST(ReferenceCases, ExplainsWhatIsWrongWithAFolder) {
    test::TempDir folder;
    EXPECT_NE(readReference(golden(), {"ids9"}).error().message.find("ids0"), std::string::npos);
    EXPECT_NE(readReference(folder.path(), {}).error().message.find("cases.json"),
              std::string::npos);
    test::writeTo(folder.path(), "cases.json", R"([{"name": "../x", "kind": "ids"}])");
    EXPECT_FALSE(readReference(folder.path(), {}));
    test::writeTo(folder.path(), "cases.json", R"([{"name": "x", "kind": "ids"}])");
    EXPECT_NE(readReference(folder.path(), {}).error().message.find("x.safetensors"),
              std::string::npos);
    test::writeTo(folder.path(), "cases.json", "[]");
    EXPECT_FALSE(readReference(folder.path(), {}));
}

}  // namespace
}  // namespace fl::service
