// SPDX-License-Identifier: Apache-2.0
#include "engine/base/dtype.h"

#include <array>

#include "engine/base/checked.h"

namespace fl {

namespace {

struct Entry {
    std::string_view name;
    BlockLayout layout;
    bool isFloat;
};

constexpr std::array<Entry, kDTypeCount> kEntries = {{
    {"F32", {1, 4}, true},        {"F16", {1, 2}, true},        {"BF16", {1, 2}, true},
    {"F64", {1, 8}, true},        {"I8", {1, 1}, false},        {"U8", {1, 1}, false},
    {"I16", {1, 2}, false},       {"U16", {1, 2}, false},       {"I32", {1, 4}, false},
    {"U32", {1, 4}, false},       {"I64", {1, 8}, false},       {"U64", {1, 8}, false},
    {"BOOL", {1, 1}, false},      {"F8_E4M3", {1, 1}, true},    {"F8_E5M2", {1, 1}, true},
    {"F8_E8M0", {1, 1}, true},    {"Q4_0", {32, 18}, true},     {"Q4_1", {32, 20}, true},
    {"Q8_0", {32, 34}, true},     {"Q4_K", {256, 144}, true},   {"Q6_K", {256, 210}, true},
    {"F4", {2, 1}, true},         {"F6_E2M3", {4, 3}, true},    {"F6_E3M2", {4, 3}, true},
    {"C64", {1, 8}, false},       {"Q5_0", {32, 22}, true},     {"Q5_1", {32, 24}, true},
    {"Q8_1", {32, 36}, true},     {"Q2_K", {256, 84}, true},    {"Q3_K", {256, 110}, true},
    {"Q5_K", {256, 176}, true},   {"Q8_K", {256, 292}, true},   {"IQ2_XXS", {256, 66}, true},
    {"IQ2_XS", {256, 74}, true},  {"IQ3_XXS", {256, 98}, true}, {"IQ1_S", {256, 50}, true},
    {"IQ4_NL", {32, 18}, true},   {"IQ3_S", {256, 110}, true},  {"IQ2_S", {256, 82}, true},
    {"IQ4_XS", {256, 136}, true}, {"IQ1_M", {256, 56}, true},   {"TQ1_0", {256, 54}, true},
    {"TQ2_0", {256, 66}, true},   {"MXFP4", {32, 17}, true},    {"NVFP4", {64, 36}, true},
    {"Q1_0", {128, 18}, true},
}};

const Entry& entry(DType type) {
    return kEntries[static_cast<std::size_t>(type)];
}

}  // namespace

BlockLayout blockLayout(DType type) {
    return entry(type).layout;
}

std::string_view name(DType type) {
    return entry(type).name;
}

std::optional<DType> dtypeFromName(std::string_view name) {
    for (std::size_t i = 0; i < kEntries.size(); ++i) {
        if (kEntries[i].name == name)
            return static_cast<DType>(i);
    }
    return std::nullopt;
}

bool isQuantised(DType type) {
    return entry(type).layout.values > 4;
}

bool isFloat(DType type) {
    return entry(type).isFloat;
}

std::optional<std::int64_t> rowBytes(DType type, std::int64_t count) {
    const BlockLayout layout = blockLayout(type);
    if (count < 0 || count % layout.values != 0)
        return std::nullopt;
    return checkedMultiply(count / layout.values, layout.bytes);
}

}  // namespace fl
