// SPDX-License-Identifier: Apache-2.0
// Changes one value somewhere in a JSON document, so that inputs get past the parser to what reads
// the document. Included by the one source of a fuzz program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "engine/base/json.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room);

namespace fl::fuzz {

inline Json oddValue(std::minstd_rand& random) {
    const Json odd[] = {nullptr,
                        true,
                        false,
                        0,
                        1,
                        -1,
                        3,
                        128,
                        0.5,
                        -0.0,
                        1e300,
                        std::int64_t{1} << 53,
                        "",
                        "yarn",
                        "../x",
                        Json::array(),
                        INT64_MAX,
                        INT64_MIN,
                        Json::object(),
                        Json(Json::Array{0, "a", nullptr})};
    return odd[random() % std::size(odd)];
}

// `value` with one change in it or below it.
inline Json changed(const Json& value, std::minstd_rand& random) {
    if (value.size() == 0 || random() % 8 == 0)
        return oddValue(random);
    const std::size_t at = random() % value.size();
    const std::size_t other = random() % value.size();
    const bool isDropped = random() % 8 == 0;
    const bool isCopied = random() % 8 == 0;
    Json out = value.isArray() ? Json::array() : Json::object();
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (i == at && isDropped)
            continue;
        const auto item = [&value](std::size_t n) -> const Json& {
            return value.isArray() ? value.items()[n] : value.members()[n].second;
        };
        Json next = i != at ? item(i) : isCopied ? item(other) : changed(item(i), random);
        if (value.isArray())
            out.push(std::move(next));
        else
            out.append(value.members()[i].first, std::move(next));
    }
    return out;
}

}  // namespace fl::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t room,
                                               unsigned int seed) {
    std::minstd_rand random(seed);
    if (random() % 4 != 0) {
        if (const auto json = fl::Json::parse({reinterpret_cast<const char*>(data), size})) {
            const std::string text = fl::fuzz::changed(*json, random).dump();
            if (text.size() <= room) {
                std::memcpy(data, text.data(), text.size());
                return text.size();
            }
        }
    }
    return LLVMFuzzerMutate(data, size, room);
}
