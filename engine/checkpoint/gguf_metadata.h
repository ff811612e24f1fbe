// SPDX-License-Identifier: Apache-2.0
// The key-value pairs of a GGUF header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/finding_list.h"
#include "engine/checkpoint/gguf_cursor.h"

namespace fl::checkpoint {

// Numbers of the value types.
enum class GgufType : std::uint32_t {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,
    String = 8,
    Array = 9,
    U64 = 10,
    I64 = 11,
    F64 = 12,
};
constexpr std::uint32_t kGgufTypeCount = 13;
std::string_view name(GgufType type);  // "u32"
// Bytes that the shortest value of a type takes; bounds a count before anything is allocated.
std::uint64_t leastBytes(std::uint32_t type);

class GgufMetadata {
public:
    GgufMetadata(GgufCursor& cursor, const Shard& shard, FindingList& findings);

    // Reads `count` pairs. False, with a finding, if the place of what follows is lost.
    bool read(std::uint64_t count);

    const Json& pairs() const { return pairs_; }
    Json take() { return std::move(pairs_); }
    // Of a pair that was read.
    GgufType typeOf(std::string_view key) const;

private:
    bool readKey();
    bool readValue(std::uint32_t type, int level, Json& out);
    bool readNumber(GgufType type, Json& out);
    bool readBool(Json& out);
    bool readText(Json& out);
    bool readArray(int level, Json& out);
    std::int64_t levelsBelow(std::uint32_t type, std::uint64_t count);
    template <class T>
    bool readAs(Json& out);

    std::string roomText(std::uint64_t count, std::uint64_t width, std::uint64_t most) const;
    bool ended();  // the file ends inside the pairs
    Finding& fault(std::string_view code, const std::string& what);

    GgufCursor& cursor_;
    const Shard& shard_;
    FindingList& findings_;
    Json pairs_ = Json::object();
    std::vector<GgufType> types_;  // of the pairs, in order
    std::string key_;
    std::int64_t items_ = 0;  // of all arrays so far
};

}  // namespace fl::checkpoint
