// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/gated_activation_kinds.h"

#include "engine/graph/op_check.h"

namespace fl::graph {

Status checkGatedActivation(const Node& node, std::string_view key) {
    FL_DO(expectWord(node, key, {"silu", "situ", "swiglu_oai", "gelu_tanh"}));
    const std::string& kind = node.text(key);
    if (kind == "silu")
        return expectReal(node, "limit");
    if (kind == "situ") {
        FL_DO(expectReal(node, "beta"));
        return expectReal(node, "linear_beta");
    }
    if (kind == "swiglu_oai") {
        FL_DO(expectReal(node, "alpha"));
        return expectReal(node, "limit");
    }
    return Done{};
}

}  // namespace fl::graph
