// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/rope_frequencies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "engine/base/text.h"
#include "engine/graph/op_check.h"

namespace fl::graph {

static double realOr(const Node& node, std::string_view key, double fallback) {
    return node.find(key) ? node.real(key) : fallback;
}

static Status checkPositive(const Node& node, std::string_view key) {
    FL_DO(expectReal(node, key));
    if (!(node.real(key) > 0))
        return nodeError(node, "expected " + std::string(key) + " above zero");
    return Done{};
}

static Status checkOptional(const Node& node) {
    for (const std::string_view key :
         {"beta_fast", "beta_slow", "truncate", "attention_factor", "mscale", "mscale_all_dim"}) {
        if (node.find(key))
            FL_DO(expectReal(node, key));
    }
    return Done{};
}

static Status checkFactors(const Node& node) {
    const Attribute* attribute = node.find("frequency_factors");
    if (!attribute)
        return Done{};
    const auto* factors = std::get_if<std::vector<double>>(attribute);
    const auto pairs = static_cast<std::size_t>(node.integer("rotary") / 2);
    const bool fine = factors && factors->size() == pairs &&
                      std::all_of(factors->begin(), factors->end(), [](double factor) {
                          return factor > 0 && std::isfinite(factor);
                      });
    return fine ? Status(Done{})
                : nodeError(node,
                            "expected " + std::to_string(pairs) + " frequency_factors above zero");
}

Status checkRope(const Node& node) {
    static const std::array<std::string, 4> kTypes = {"default", "linear", "llama3", "yarn"};
    FL_DO(expectInteger(node, "rotary", 2));
    FL_DO(checkPositive(node, "theta"));
    const Attribute* attribute = node.find("type");
    const auto* type = attribute ? std::get_if<std::string>(attribute) : nullptr;
    if (!type || std::find(kTypes.begin(), kTypes.end(), *type) == kTypes.end()) {
        return nodeError(node, "rope type " + (type ? "'" + *type + "'" : "missing") +
                                   ", known are: " + join(kTypes, ", "));
    }
    if (*type != "default")
        FL_DO(checkPositive(node, "factor"));
    if (*type == "llama3" || *type == "yarn")
        FL_DO(checkPositive(node, "original_context"));
    if (*type == "llama3") {
        FL_DO(checkPositive(node, "low_freq_factor"));
        FL_DO(checkPositive(node, "high_freq_factor"));
        if (node.real("high_freq_factor") == node.real("low_freq_factor"))
            return nodeError(node, "expected a high_freq_factor other than the low_freq_factor");
    }
    if (*type == "yarn" && node.real("theta") == 1)
        return nodeError(node, "expected a theta other than 1");
    FL_DO(checkFactors(node));
    return checkOptional(node);
}

static std::vector<float> plainFrequencies(const Node& node) {
    const std::int64_t rotary = node.integer("rotary");
    const auto theta = static_cast<float>(node.real("theta"));
    std::vector<float> out;
    for (std::int64_t i = 0; i < rotary / 2; ++i) {
        const float exponent = static_cast<float>(2 * i) / static_cast<float>(rotary);
        out.push_back(1.0F / std::pow(theta, exponent));
    }
    return out;
}

// Long waves are stretched by the factor, short ones kept, those between mixed (Llama 3.1).
static float llama3Frequency(const Node& node, float frequency) {
    const auto factor = static_cast<float>(node.real("factor"));
    const auto low = static_cast<float>(node.real("low_freq_factor"));
    const auto high = static_cast<float>(node.real("high_freq_factor"));
    const auto context = static_cast<float>(node.real("original_context"));
    const float wavelength = 2.0F * std::numbers::pi_v<float> / frequency;
    if (wavelength > context / low)
        return frequency / factor;
    if (wavelength < context / high)
        return frequency;
    const float smooth = (context / wavelength - low) / (high - low);
    return (1.0F - smooth) * frequency / factor + smooth * frequency;
}

// The pair that makes `turns` turns over the original context (YaRN, Peng et al. 2023, §3.2).
static double correctionDim(const Node& node, double turns) {
    const auto rotary = static_cast<double>(node.integer("rotary"));
    const double context = node.real("original_context");
    return rotary * std::log(context / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(node.real("theta")));
}

static std::vector<float> yarnFrequencies(const Node& node) {
    double low = correctionDim(node, realOr(node, "beta_fast", 32));
    double high = correctionDim(node, realOr(node, "beta_slow", 1));
    if (realOr(node, "truncate", 1) != 0) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, static_cast<double>(node.integer("rotary") - 1));
    if (low == high)
        high += 0.001;  // as the reference does against a division by zero
    const auto factor = static_cast<float>(node.real("factor"));
    std::vector<float> out = plainFrequencies(node);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double place = (static_cast<double>(i) - low) / (high - low);
        const auto ramp = static_cast<float>(std::clamp(place, 0.0, 1.0));
        out[i] = out[i] / factor * ramp + out[i] * (1.0F - ramp);
    }
    return out;
}

static std::vector<float> scaledFrequencies(const Node& node) {
    const std::string& type = node.text("type");
    if (type == "yarn")
        return yarnFrequencies(node);
    std::vector<float> out = plainFrequencies(node);
    for (float& frequency : out) {
        if (type == "linear")
            frequency /= static_cast<float>(node.real("factor"));
        if (type == "llama3")
            frequency = llama3Frequency(node, frequency);
    }
    return out;
}

std::vector<float> ropeFrequencies(const Node& node) {
    std::vector<float> out = scaledFrequencies(node);
    if (!node.find("frequency_factors"))
        return out;
    const std::vector<double>& factors = node.reals("frequency_factors");
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] /= static_cast<float>(factors[i]);
    return out;
}

static double magnitude(double scale, double mscale) {
    return scale <= 1 ? 1.0 : 0.1 * mscale * std::log(scale) + 1.0;
}

double ropeAttentionFactor(const Node& node) {
    if (node.text("type") != "yarn")
        return 1.0;
    if (node.find("attention_factor"))
        return node.real("attention_factor");
    const double factor = node.real("factor");
    const double mscale = realOr(node, "mscale", 0);
    const double allDim = realOr(node, "mscale_all_dim", 0);
    if (mscale != 0 && allDim != 0)
        return magnitude(factor, mscale) / magnitude(factor, allDim);
    return magnitude(factor, 1);
}

}  // namespace fl::graph
