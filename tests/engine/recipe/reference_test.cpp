// SPDX-License-Identifier: Apache-2.0
// The recipes against checkpoints that the reference implementation wrote.
#include "tests/support/reference.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "engine/recipe/model.h"
#include "tests/support/findings.h"

namespace fl::recipe {

static void expectMatch(const std::string& folder) {
    SCOPED_TRACE(folder);
    const auto checkpoint = checkpoint::openCheckpoint(folder);
    ASSERT_TRUE(checkpoint) << checkpoint.error().message;
    const auto model = buildModel(*checkpoint, "");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_FALSE(hasErrors(model->findings)) << test::codes(model->findings);
    EXPECT_EQ(model->contract.matched + model->contract.ignored,
              static_cast<std::int64_t>(checkpoint->inventory.size()));
}

TEST(ReferenceCheckpoints, AllMatchTheirRecipes) {
    const std::string folder = test::referenceDir();
    if (folder.empty())
        GTEST_SKIP() << "no reference checkpoints here";
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/reference")) {
        if (!entry.is_directory())
            continue;
        expectMatch(entry.path().string());
        ++found;
    }
    EXPECT_GT(found, 0);
}

}  // namespace fl::recipe
