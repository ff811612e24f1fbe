// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/family_gaps.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::recipe {

namespace {

using Numbers = std::set<std::int64_t>;

struct Family {
    Numbers wanted;
    Numbers there;
};
using Families = std::map<std::string, Family, std::less<>>;

// Calls `visit(prefix, number)` for each part of the name that is a number.
template <class Visit>
void eachNumber(std::string_view name, const Visit& visit) {
    for (std::size_t begin = name.find('.'); begin != std::string_view::npos;) {
        const std::size_t end = name.find('.', begin + 1);
        const std::string_view part = name.substr(begin + 1, end - begin - 1);
        if (!part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos) {
            if (const auto number = parseInteger(part))
                visit(name.substr(0, begin), *number);
        }
        begin = end;
    }
}

Family& familyOf(Families& families, std::string_view prefix) {
    auto place = families.find(prefix);
    if (place == families.end())
        place = families.emplace(std::string(prefix), Family{}).first;
    return place->second;
}

// "layers 0..2, 5"
std::string listed(std::string_view noun, const Numbers& numbers) {
    std::vector<std::string> parts;
    for (auto first = numbers.begin(); first != numbers.end();) {
        auto last = first;
        while (std::next(last) != numbers.end() && *std::next(last) == *last + 1)
            ++last;
        if (*last - *first > 1)
            parts.push_back(fmt::format("{}..{}", *first, *last));
        else
            for (auto at = first; at != std::next(last); ++at)
                parts.push_back(std::to_string(*at));
        first = std::next(last);
    }
    if (parts.empty())
        return fmt::format("no {}", noun);
    return fmt::format("{} {} ({})", noun, join(parts, ", "), numbers.size());
}

void addWanted(const graph::Weight& weight, Families& families) {
    for (std::int32_t part = 0; part < weight.parts(); ++part) {
        eachNumber(weight.expertName(part), [&families](auto prefix, std::int64_t number) {
            familyOf(families, prefix).wanted.insert(number);
        });
    }
}

Numbers difference(const Numbers& from, const Numbers& taken) {
    Numbers out;
    std::set_difference(from.begin(), from.end(), taken.begin(), taken.end(),
                        std::inserter(out, out.end()));
    return out;
}

std::optional<Finding> gapOf(const std::string& prefix, const Family& family) {
    const Numbers missing = difference(family.wanted, family.there);
    const Numbers surplus = difference(family.there, family.wanted);
    if (family.wanted.empty() || (missing.empty() && surplus.empty()))
        return std::nullopt;
    const std::string_view noun = std::string_view(prefix).substr(prefix.rfind('.') + 1);
    Finding finding;
    finding.code = missing.empty() ? "family-surplus" : "family-incomplete";
    finding.stage = "inspect";
    finding.expected = listed(noun, family.wanted);
    finding.found = listed(noun, family.there);
    finding.message = fmt::format("the recipe needs {} of {}, the checkpoint has {}",
                                  finding.expected, prefix, finding.found);
    finding.tensor =
        fmt::format("{}.{}.*", prefix, missing.empty() ? *surplus.begin() : *missing.begin());
    if (missing.empty())
        finding.found += fmt::format(", {} too many", *surplus.begin());
    finding.remedy = "fetch the checkpoint again, or correct the number in its configuration";
    return finding;
}

// Which tensors a number that is not wanted has.
void nameSurplus(const checkpoint::Inventory& inventory, Finding& finding) {
    constexpr std::size_t kExamples = 5;
    const auto& all = inventory.tensors();
    const std::string front = finding.tensor.substr(0, finding.tensor.size() - 1);
    auto at = std::lower_bound(all.begin(), all.end(), front,
                               [](const checkpoint::TensorInfo& tensor, const std::string& wanted) {
                                   return tensor.name < wanted;
                               });
    for (; at != all.end() && at->name.starts_with(front); ++at) {
        if (finding.examples.size() == kExamples)
            return;
        finding.examples.emplace_back(at->name);
    }
    if (finding.examples.size() == 1)
        finding.tensor = finding.examples.front();
}

std::optional<DType> declaredType(const Json& config) {
    for (const Json* place : {&config, &config["text_config"]}) {
        for (const char* key : {"torch_dtype", "dtype"}) {
            const std::string& word = (*place)[key].string();
            if (word == "bfloat16")
                return DType::BF16;
            if (word == "float16" || word == "half")
                return DType::F16;
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<Finding> findFamilyGaps(const graph::Graph& graph,
                                    const checkpoint::Inventory& inventory) {
    Families families;
    for (const auto* weights : {&graph.weights, &graph.declared}) {
        for (const graph::Weight& weight : *weights)
            addWanted(weight, families);
    }
    for (const checkpoint::TensorInfo& tensor : inventory.tensors()) {
        eachNumber(tensor.name, [&families](auto prefix, std::int64_t number) {
            familyOf(families, prefix).there.insert(number);
        });
    }
    std::vector<Finding> out;
    for (const auto& [prefix, family] : families) {
        // Of a layer that is missing, the experts are missing with it.
        if (family.there.empty() && !out.empty() &&
            prefix.starts_with(out.back().tensor.substr(0, out.back().tensor.size() - 1)))
            continue;
        if (auto gap = gapOf(prefix, family))
            out.push_back(*std::move(gap));
    }
    for (Finding& gap : out) {
        if (gap.code == "family-surplus")
            nameSurplus(inventory, gap);
    }
    return out;
}

std::vector<Finding> findMixedTypes(const Json& config, const checkpoint::Inventory& inventory) {
    const auto declared = declaredType(config);
    if (!declared)
        return {};
    const DType other = *declared == DType::BF16 ? DType::F16 : DType::BF16;
    std::int64_t asDeclared = 0;
    Finding finding;
    finding.count = 0;
    for (const checkpoint::TensorInfo& tensor : inventory.tensors()) {
        if (checkpoint::isScaleName(tensor.name))
            continue;
        asDeclared += tensor.dtype == *declared ? 1 : 0;
        if (tensor.dtype != other)
            continue;
        constexpr std::size_t kExamples = 5;
        ++finding.count;
        if (finding.examples.size() < kExamples)
            finding.examples.emplace_back(tensor.name);
    }
    if (finding.count == 0 || asDeclared == 0)
        return {};
    finding.code = "dtype-mixed";
    finding.severity = Severity::Warning;
    finding.stage = "inspect";
    finding.tensor = finding.examples.front();
    finding.expected = fmt::format("{} (torch_dtype)", name(*declared));
    finding.found = name(other);
    finding.message = fmt::format("{} tensor{} {} {}, while the configuration and the rest say {}",
                                  formatCount(finding.count), finding.count == 1 ? "" : "s",
                                  finding.count == 1 ? "is" : "are", name(other), name(*declared));
    finding.remedy = "fetch the files again: they may be of two conversions";
    return {finding};
}

}  // namespace fl::recipe
