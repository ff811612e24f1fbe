// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/graph/ops/ops.h"

namespace fl::graph {

std::span<const OpDef> opList() {
    static const std::array kOps = {
        ops::activation(),    ops::add(),
        ops::attention(),     ops::columns(),
        ops::compress(),      ops::deltaRule(),
        ops::embedding(),     ops::gatedActivation(),
        ops::gatedNorm(),     ops::gatherRows(),
        ops::groupedLinear(), ops::hyperCollapse(),
        ops::hyperExpand(),   ops::imageAttention(),
        ops::layerNorm(),     ops::linear(),
        ops::mlaAttention(),  ops::moeExperts(),
        ops::patchEmbed(),    ops::patchMerge(),
        ops::placeImages(),   ops::poolAttention(),
        ops::poolCache(),     ops::positionGrid(),
        ops::repeatStreams(), ops::residualAttention(),
        ops::rmsNorm(),       ops::rope(),
        ops::routerSelect(),  ops::routerTopk(),
        ops::scale(),         ops::shortConvolution(),
        ops::sigmoidGate(),   ops::siluMul(),
        ops::sparseIndex(),
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
