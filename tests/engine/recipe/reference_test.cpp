// SPDX-License-Identifier: Apache-2.0
// The recipes against checkpoints that the reference implementation wrote.
#include "tests/support/reference.h"

#include <gtest/gtest.h>

#include "engine/recipe/model.h"
#include "tests/support/findings.h"

namespace fl::recipe {

TEST(ReferenceCheckpoints, AllMatchTheirRecipes) {
    const std::string folder = test::referenceDir();
    if (folder.empty())
        GTEST_SKIP() << "no reference checkpoints here";
    for (const char* name :
         {"llama-a", "qwen2-a", "qwen3-a", "qwen3_moe-a", "deepseek_v3-a", "deepseek_v3-a-fp8"}) {
        SCOPED_TRACE(name);
        const auto checkpoint = checkpoint::openCheckpoint(folder + "/reference/" + name);
        ASSERT_TRUE(checkpoint) << checkpoint.error().message;
        const auto model = buildModel(*checkpoint, "");
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(test::codes(model->findings), "");
        EXPECT_EQ(model->contract.matched + model->contract.ignored,
                  static_cast<std::int64_t>(checkpoint->inventory.size()));
    }
}

}  // namespace fl::recipe
