// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/gguf_metadata.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

// The specification's limit of a key.
constexpr std::uint64_t kMaxKeyBytes = 65535;
// Ten thousand times what a file has; keeps a file of holes from filling the memory.
constexpr std::uint64_t kMaxPairs = 1 << 16;
// Length of the key, one letter of it, type and value of one byte.
constexpr std::uint64_t kLeastPairBytes = 8 + 1 + 4 + 1;
// A chat template has some ten thousand bytes, the vocabulary of the largest models, with its
// merges, scores and types, about a million items.
constexpr std::uint64_t kMaxTextBytes = std::uint64_t{64} << 20;
constexpr std::int64_t kMaxItems = std::int64_t{16} << 20;
constexpr int kMaxArrayDepth = 4;

// "\\0" for a NUL that printable() has written as any other control character.
std::string withNul(std::string text) {
    constexpr std::string_view kNul = "\\x00";
    for (std::size_t at = text.find(kNul); at != std::string::npos; at = text.find(kNul, at))
        text.replace(at, kNul.size(), "\\0");
    return text;
}

}  // namespace

// Of a key that has two values.
static std::string bothText(const Json& first, const Json& second) {
    if (first == second || first.size() > 0 || second.size() > 0)
        return "twice";
    return fmt::format("twice ({} and {})", first.dump(), second.dump());
}

std::uint64_t leastBytes(std::uint32_t type) {
    constexpr std::array<std::uint8_t, kGgufTypeCount> kBytes = {1, 1, 2,  2, 4, 4, 4,
                                                                 1, 8, 12, 8, 8, 8};
    return kBytes[type];
}

std::string_view name(GgufType type) {
    constexpr std::array<std::string_view, kGgufTypeCount> kNames = {
        "u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
        "bool", "string", "array", "u64", "i64", "f64"};
    return kNames[static_cast<std::size_t>(type)];
}

GgufMetadata::GgufMetadata(GgufCursor& cursor, const Shard& shard, FindingList& findings)
    : cursor_(cursor),
      shard_(shard),
      findings_(findings) {}

GgufType GgufMetadata::typeOf(std::string_view key) const {
    const Json::Object& members = pairs_.members();
    const auto at = std::find_if(members.begin(), members.end(),
                                 [key](const Json::Member& member) { return member.first == key; });
    return types_[static_cast<std::size_t>(at - members.begin())];
}

Finding& GgufMetadata::fault(std::string_view code, const std::string& what) {
    const std::string shown = printable(key_);
    Finding& finding = findings_.error(
        code, shard_.fileName, fmt::format("key {} of {} {}", shown, shard_.fileName, what));
    finding.key = shown;
    finding.remedy = "fetch this file again, or convert the model again";
    return finding;
}

bool GgufMetadata::ended() {
    Finding& finding =
        findings_.error("shard-truncated", shard_.fileName,
                        fmt::format("shard {} ends inside its key-value pairs: it has {} B",
                                    shard_.fileName, formatCount(shard_.fileBytes)));
    finding.key = printable(key_);
    finding.expected = fmt::format("> {}", shard_.fileBytes);
    finding.found = std::to_string(shard_.fileBytes);
    finding.remedy = "fetch this file again";
    return false;
}

bool GgufMetadata::read(std::uint64_t count) {
    if (count > kMaxPairs) {
        key_ = "metadata_kv_count";
        Finding& finding = fault("gguf-count", fmt::format("is {}, more than any file has", count));
        finding.expected = fmt::format("<= {}", kMaxPairs);
        finding.found = std::to_string(count);
        return false;
    }
    if (count > cursor_.left() / kLeastPairBytes)
        return ended();
    std::unordered_set<std::string> keys;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (!readKey())
            return false;
        std::uint32_t type = 0;
        Json value;
        if (!cursor_.take(type))
            return ended();
        if (!readValue(type, 0, value))
            return false;
        if (keys.insert(key_).second) {
            pairs_.append(key_, std::move(value));
            types_.push_back(static_cast<GgufType>(type));
        } else {
            Finding& finding = fault("gguf-key-duplicate", "appears twice");
            finding.expected = "once";
            finding.found = bothText(pairs_[key_], value);
        }
    }
    return true;
}

bool GgufMetadata::readKey() {
    const std::string before = key_;
    std::uint64_t length = 0;
    if (!cursor_.take(length))
        return ended();
    if (length == 0 || length > kMaxKeyBytes) {
        key_ = before.empty() ? "(first)" : "after " + before;
        Finding& finding = fault("gguf-key", fmt::format("has a name of {} bytes", length));
        finding.expected = fmt::format("1 to {} bytes", kMaxKeyBytes);
        finding.found = std::to_string(length);
        return false;
    }
    if (length > cursor_.left())
        return ended();
    key_ = cursor_.takeText(static_cast<std::size_t>(length));
    const std::size_t bad = utf8Fault(key_);
    const bool hasNul = key_.find('\0') != std::string::npos;
    if (bad != std::string::npos || hasNul) {
        Finding& finding = fault("gguf-key", hasNul ? "has a NUL in its name" : "is not UTF-8");
        finding.key = withNul(finding.key);
        finding.expected = hasNul ? "no NUL" : "UTF-8";
        finding.found =
            hasNul ? "NUL" : fmt::format("0x{:02x}", static_cast<unsigned char>(key_[bad]));
    }
    return true;
}

bool GgufMetadata::readValue(std::uint32_t type, int level, Json& out) {
    if (type >= kGgufTypeCount) {
        Finding& finding = fault("gguf-value-type", fmt::format("has the unknown type {}", type));
        finding.expected = "0..12";
        finding.found = std::to_string(type);
        return false;
    }
    switch (static_cast<GgufType>(type)) {
        case GgufType::Bool:
            return readBool(out);
        case GgufType::String:
            return readText(out);
        case GgufType::Array:
            return readArray(level, out);
        default:
            return readNumber(static_cast<GgufType>(type), out);
    }
}

template <class T>
bool GgufMetadata::readAs(Json& out) {
    T value{};
    if (!cursor_.take(value))
        return ended();
    if constexpr (std::is_floating_point_v<T>) {
        out = Json(double{value});
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
        constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        out = value > kMax ? Json(static_cast<double>(value))
                           : Json(static_cast<std::int64_t>(value));
    } else {
        out = Json(std::int64_t{value});
    }
    return true;
}

bool GgufMetadata::readNumber(GgufType type, Json& out) {
    switch (type) {
        case GgufType::U8:
            return readAs<std::uint8_t>(out);
        case GgufType::I8:
            return readAs<std::int8_t>(out);
        case GgufType::U16:
            return readAs<std::uint16_t>(out);
        case GgufType::I16:
            return readAs<std::int16_t>(out);
        case GgufType::U32:
            return readAs<std::uint32_t>(out);
        case GgufType::I32:
            return readAs<std::int32_t>(out);
        case GgufType::F32:
            return readAs<float>(out);
        case GgufType::U64:
            return readAs<std::uint64_t>(out);
        case GgufType::I64:
            return readAs<std::int64_t>(out);
        default:
            return readAs<double>(out);
    }
}

bool GgufMetadata::readBool(Json& out) {
    std::uint8_t value = 0;
    if (!cursor_.take(value))
        return ended();
    if (value > 1) {
        Finding& finding = fault("gguf-bool", fmt::format("is a truth value of {}", value));
        finding.expected = "0 or 1";
        finding.found = std::to_string(value);
    }
    out = Json(value != 0);
    return true;
}

// How many items of `width` bytes there could be where `count` are claimed.
std::string GgufMetadata::roomText(std::uint64_t count,
                                   std::uint64_t width,
                                   std::uint64_t most) const {
    const auto whole = static_cast<std::uint64_t>(shard_.fileBytes) / width;
    const std::uint64_t rest = cursor_.left() / width;
    if (count > whole)
        return fmt::format("<= {} (the whole file)", whole);
    return count > rest ? fmt::format("<= {} (the rest of the file)", rest)
                        : fmt::format("<= {}", most);
}

bool GgufMetadata::readText(Json& out) {
    std::uint64_t length = 0;
    if (!cursor_.take(length))
        return ended();
    if (length > std::min<std::uint64_t>(kMaxTextBytes, cursor_.left())) {
        Finding& finding = fault("gguf-length", fmt::format("claims a text of {} bytes", length));
        finding.expected = roomText(length, 1, kMaxTextBytes);
        finding.found = std::to_string(length);
        return false;
    }
    const std::string_view text = cursor_.takeText(static_cast<std::size_t>(length));
    if (const std::size_t at = utf8Fault(text); at != std::string_view::npos) {
        Finding& finding =
            fault("gguf-text", fmt::format("holds a text that is not UTF-8 at byte {}", at));
        finding.expected = "UTF-8";
        finding.found = fmt::format("0x{:02x}", static_cast<unsigned char>(text[at]));
    }
    out = Json(text);
    return true;
}

// How deep the arrays go whose innermost known one holds `type`; the place in the file is lost.
std::int64_t GgufMetadata::levelsBelow(std::uint32_t type, std::uint64_t count) {
    std::int64_t levels = 1;
    while (type == static_cast<std::uint32_t>(GgufType::Array) && count > 0 && cursor_.take(type) &&
           cursor_.take(count))
        ++levels;
    return levels - 1;
}

bool GgufMetadata::readArray(int level, Json& out) {
    std::uint32_t type = 0;
    std::uint64_t count = 0;
    if (!cursor_.take(type) || !cursor_.take(count))
        return ended();
    if (type >= kGgufTypeCount || level >= kMaxArrayDepth) {
        const bool deep = type < kGgufTypeCount;
        Finding& finding =
            fault(deep ? "gguf-array-depth" : "gguf-value-type",
                  deep ? fmt::format("nests arrays more than {} levels deep", kMaxArrayDepth)
                       : fmt::format("is an array of the unknown type {}", type));
        finding.expected = deep ? fmt::format("<= {} levels", kMaxArrayDepth) : "0..12";
        finding.found = std::to_string(deep ? level + levelsBelow(type, count) : type);
        return false;
    }
    const auto most = static_cast<std::uint64_t>(kMaxItems - items_);
    if (count > std::min(most, cursor_.left() / leastBytes(type))) {
        Finding& finding = fault("gguf-length", fmt::format("claims an array of {} items", count));
        finding.expected = roomText(count, leastBytes(type), most);
        finding.found = std::to_string(count);
        return false;
    }
    items_ += static_cast<std::int64_t>(count);
    Json::Array items(static_cast<std::size_t>(count));
    for (Json& item : items) {
        if (!readValue(type, level + 1, item))
            return false;
    }
    out = Json(std::move(items));
    return true;
}

}  // namespace fl::checkpoint
