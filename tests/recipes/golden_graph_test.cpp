// SPDX-License-Identifier: Apache-2.0
// Every folder here is a case: config.json in, graph.txt out. FIRSTLIGHT_UPDATE=1 writes the
// graphs anew; read the difference before it is committed.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/recipe/recipe_set.h"

namespace fl::recipe {

static std::filesystem::path casesDir() {
    const char* data = std::getenv("FIRSTLIGHT_TEST_DATA");  // NOLINT(concurrency-mt-unsafe)
    return std::filesystem::path(data ? data : "tests/data").parent_path() / "recipes";
}

static void compareCase(const RecipeSet& set, const std::filesystem::path& folder) {
    const auto config = Json::parseFile((folder / "config.json").string());
    ASSERT_TRUE(config) << config.error().message;
    const Recipe* recipe = set.byConfig(*config);
    ASSERT_NE(recipe, nullptr);
    const BuiltGraph built = buildGraph(resourcesDir(), *recipe, *config, false);
    for (const Finding& finding : built.problems)
        ADD_FAILURE() << text(finding);
    const std::string found = graph::dump(built.graph);
    const std::string golden = (folder / "graph.txt").string();
    if (std::getenv("FIRSTLIGHT_UPDATE") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
        ASSERT_TRUE(writeFile(golden, found));
        return;
    }
    const auto expected = readFile(golden);
    ASSERT_TRUE(expected) << expected.error().message;
    EXPECT_EQ(found, *expected);
}

TEST(GoldenGraph, EveryCaseBuildsTheGraphThatIsWrittenBesideIt) {
    const auto set = RecipeSet::open(resourcesDir());
    ASSERT_TRUE(set) << set.error().message;
    for (const Finding& finding : set->broken())
        ADD_FAILURE() << text(finding);
    int cases = 0;
    for (const auto& entry : std::filesystem::directory_iterator(casesDir())) {
        if (!entry.is_directory())
            continue;
        SCOPED_TRACE(entry.path().filename().string());
        compareCase(*set, entry.path());
        ++cases;
    }
    EXPECT_GE(cases, 22);
}

}  // namespace fl::recipe
