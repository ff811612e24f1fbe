// SPDX-License-Identifier: Apache-2.0
// Looking for one finding among several.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/finding.h"

namespace fl::test {

// The first finding of that code; one with an empty code if there is none.
inline Finding findCode(const std::vector<Finding>& findings, std::string_view code) {
    for (const Finding& finding : findings) {
        if (finding.code == code)
            return finding;
    }
    return {};
}

// "shard-missing, tensor-size": all codes in order, for a comparison that shows everything.
inline std::string codes(const std::vector<Finding>& findings) {
    std::string out;
    for (const Finding& finding : findings)
        out += (out.empty() ? "" : ", ") + finding.code;
    return out;
}

}  // namespace fl::test
