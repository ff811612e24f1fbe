// SPDX-License-Identifier: Apache-2.0
// Any JSON as config.json of every recipe: where nothing was wrong, what is usable is what came in;
// where nothing but warnings came of it, the recipe's script does not stumble over it.
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/paths.h"
#include "engine/recipe/config_check.h"
#include "engine/recipe/recipe_set.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/memory_file.h"

namespace {

using namespace fl;

const recipe::RecipeSet& recipes() {
    static const recipe::RecipeSet set = [] {
        auto opened = recipe::RecipeSet::open(resourcesDir());
        fuzz::require(opened && opened->broken().empty());
        return std::move(*opened);
    }();
    return set;
}

void check(const recipe::Recipe& recipe, const Json& config) {
    const recipe::ConfigCheck once = recipe::checkConfig(recipe.rules, config, {}, "config.json");
    for (const Finding& finding : once.findings)
        fuzz::require(!finding.code.empty() && !finding.message.empty());
    if (once.findings.empty())
        fuzz::require(once.usable == config);
    // Scripts are a hundred times slower than checks; one in 32 is enough to get to all of them.
    if (hasErrors(once.findings) || std::hash<std::string>()(config.dump()) % 32 != 0)
        return;
    const recipe::BuiltGraph built = recipe::buildGraph(resourcesDir(), recipe, once.usable, false);
    // Operators may refuse the shapes; the script itself must not stumble.
    for (const Finding& problem : built.problems)
        fuzz::require(problem.message.find("attempt to ") == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto config = Json::parse({reinterpret_cast<const char*>(data), size});
    if (!config || !config->isObject())
        return 0;  // refused where the file is read
    if (const recipe::Recipe* named = recipes().byConfig(*config))
        check(*named, *config);
    else
        check(recipes().recipes()[size % recipes().recipes().size()], *config);
    return 0;
}
