// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <string>

#include "tests/ui/support/recorded.h"
#include "tests/ui/support/recorded_parts.h"

namespace fl::test {

namespace {

constexpr double kTolerance = 2e-2;
constexpr int kLayers = 61;

protocol::Rung rung(const std::string& name, double error) {
    return {name, error, 3 * error, kTolerance, 0, error <= kTolerance ? "pass" : "fail"};
}

protocol::CaseResult comparedCase(const std::string& name, int badLayer) {
    protocol::CaseResult result;
    result.name = name;
    result.rungs = {
        {"prompt", 0, 0, 0, 0, "pass"}, {"input_ids", 0, 0, 0, 0, "pass"}, rung("embed", 0)};
    for (int layer = 0; layer < kLayers; ++layer) {
        const std::string stem = "layer." + std::to_string(layer);
        const double usual = 4e-4 * std::exp(0.04 * layer) * (1 + 0.2 * jitter(layer));
        const bool bad = badLayer >= 0 && layer >= badLayer;
        const bool after = badLayer >= 0 && layer > badLayer;
        result.rungs.push_back(rung(stem + ".attn", after ? 0.24 : 0.7 * usual));
        result.rungs.push_back(rung(stem + ".mlp", bad ? 0.31 : usual));
        result.rungs.push_back(rung(stem, bad ? 0.29 : usual));
    }
    result.rungs.push_back(rung("final_norm", badLayer < 0 ? 4e-3 : 0.27));
    result.rungs.push_back(rung("logits", badLayer < 0 ? 5e-3 : 0.27));
    result.verdict = badLayer < 0 ? "pass" : "fail";
    if (badLayer >= 0) {
        result.firstDivergence.push_back(
            {"layer." + std::to_string(badLayer) + ".mlp", 21, "experts 240–287, TP 5 of 8", 17});
    }
    return result;
}

}  // namespace

protocol::ValidateReply parted() {
    return {{comparedCase("short-text", -1), comparedCase("red-circle", 34)}, "errors"};
}

}  // namespace fl::test
