// SPDX-License-Identifier: Apache-2.0
// The `host` functions that recipes build a graph with: each takes one table and checks it, so
// that a recipe's mistake is an error at its line.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/graph/graph.h"
#include "engine/recipe/lua_state.h"

namespace fl::recipe {

class GraphBuilder {
public:
    // `inventory` answers host.has(); nullptr: there is no tensor.
    explicit GraphBuilder(std::string model, const checkpoint::Inventory* inventory = nullptr);

    // Binds model, weight, value, state, node, output, ignore, has,
    // shape and problem. The builder must
    // outlive the state's calls.
    void bindTo(LuaState& state);

    // Valid once the recipe has returned: fails if something essential was never said.
    Result<graph::Graph> take();

    // What the recipe said about the configuration.
    const std::vector<Finding>& problems() const { return problems_; }

private:
    Result<Json> model(const Json& table);
    Result<Json> weight(const Json& table);
    Result<Json> value(const Json& table);
    Result<Json> state(const Json& table);
    Result<Json> node(const Json& table);
    Result<Json> output(const Json& id);
    Result<Json> ignore(const Json& pattern);
    Result<Json> has(const Json& name);
    Result<Json> shape(const Json& name);
    Result<Json> problem(const Json& table);
    Result<graph::Weight> readWeight(const Json& table) const;

    const checkpoint::Inventory* inventory_;
    graph::Graph graph_;
    std::vector<Finding> problems_;
    std::unordered_map<std::string, graph::WeightId> weightIds_;
};

}  // namespace fl::recipe
