// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/graph/ops/ops.h"

namespace fl::graph {

std::span<const OpDef> opList() {
    static const std::array kOps = {
        ops::add(),        ops::attention(), ops::columns(),      ops::embedding(),
        ops::gatherRows(), ops::linear(),    ops::mlaAttention(), ops::moeExperts(),
        ops::rmsNorm(),    ops::rope(),      ops::routerSelect(), ops::routerTopk(),
        ops::siluMul(),
    };
    return kOps;
}

const OpDef* findOp(std::string_view name) {
    const auto list = opList();
    const auto found =
        std::find_if(list.begin(), list.end(), [name](const OpDef& op) { return op.name == name; });
    return found == list.end() ? nullptr : &*found;
}

}  // namespace fl::graph
