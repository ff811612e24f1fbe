// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/safetensors.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/safetensors_header.h"
#include "engine/checkpoint/shard_file.h"

namespace fl::checkpoint {

namespace {

constexpr std::int64_t kLengthBytes = 8;
constexpr std::string_view kRefetch = "fetch this file again";

Finding& lengthFault(FindingList& findings, const Shard& shard, std::uint64_t length) {
    Finding& finding =
        findings.error("header-length", shard.fileName,
                       fmt::format("{}: header claims {} bytes", shard.fileName, length));
    finding.found = std::to_string(length);
    finding.remedy = kRefetch;
    return finding;
}

// The header text, or "" with a finding. One check per way the first bytes can be wrong.
std::string_view headerText(std::span<const std::byte> bytes,
                            const Shard& shard,
                            FindingList& findings) {
    const auto fileBytes = static_cast<std::int64_t>(bytes.size());
    const FileKind kind = fileKind(bytes);
    if (kind != FileKind::Unknown && kind != FileKind::Safetensors) {
        addForeignFile(findings, "not-safetensors", shard.fileName, "safetensors", bytes);
        return {};
    }
    if (fileBytes < kLengthBytes) {
        Finding& finding = addTruncated(findings, shard, kLengthBytes);
        finding.expected = "8 or more bytes";
        return {};
    }
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    if (length < 2) {
        lengthFault(findings, shard, length).expected = "2 or more";
        return {};
    }
    if (length > static_cast<std::uint64_t>(kMaxHeaderBytes)) {
        lengthFault(findings, shard, length).expected =
            fmt::format("<= {}", std::min(kMaxHeaderBytes, fileBytes - kLengthBytes));
        return {};
    }
    const auto headerBytes = static_cast<std::int64_t>(length);
    if (headerBytes > fileBytes - kLengthBytes) {
        addTruncated(findings, shard, kLengthBytes + headerBytes);
        return {};
    }
    return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes,
            static_cast<std::size_t>(length)};
}

void jsonFault(FindingList& findings,
               const Shard& shard,
               std::string_view what,
               std::string_view expected,
               std::string_view found) {
    Finding& finding = findings.error("header-json", shard.fileName,
                                      fmt::format("the header of {} {}", shard.fileName, what));
    finding.expected = expected;
    finding.found = found;
    finding.remedy = kRefetch;
}

bool checkEncoding(std::string_view header, const Shard& shard, FindingList& findings) {
    if (header.front() != '{') {
        const auto first = static_cast<unsigned char>(header.front());
        jsonFault(findings, shard, "does not begin with a brace", "{",
                  first > 0x20 && first < 0x7f ? std::string(1, header.front())
                                               : fmt::format("0x{:02x}", first));
        return false;
    }
    if (const std::size_t at = utf8Fault(header); at != std::string_view::npos) {
        jsonFault(findings, shard, fmt::format("is not UTF-8 at byte {}", at), "UTF-8",
                  fmt::format("0x{:02x}", static_cast<unsigned char>(header[at])));
        return false;
    }
    return true;
}

Finding& layoutFault(FindingList& findings,
                     std::string_view code,
                     const Shard& shard,
                     const DataRange& range,
                     std::string_view what) {
    Finding& finding = findings.error(
        code, shard.fileName,
        fmt::format("tensor {} of {} {}", range.name.empty() ? "(bad entry)" : range.name,
                    shard.fileName, what));
    finding.tensor = range.name;
    finding.remedy = kRefetch;
    return finding;
}

// Every byte of the data belongs to exactly one tensor.
void checkCover(std::vector<DataRange> ranges,
                bool complete,
                const Shard& shard,
                FindingList& findings) {
    std::sort(ranges.begin(), ranges.end(), [](const DataRange& a, const DataRange& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    std::int64_t cursor = 0;
    std::string_view before;
    for (const DataRange& range : ranges) {
        const char* code = nullptr;
        std::string what;
        if (range.begin < cursor) {
            code = "offsets-overlap";
            what = fmt::format("shares {} B with {}",
                               formatCount(std::min(cursor, range.end) - range.begin), before);
        } else if (range.begin > cursor && complete) {
            code = "offsets-gap";
            what = fmt::format("leaves {} B before it to no tensor",
                               formatCount(range.begin - cursor));
        }
        if (code) {
            Finding& finding = layoutFault(findings, code, shard, range, what);
            finding.expected = std::to_string(cursor);
            finding.found = std::to_string(range.begin);
        }
        if (range.end >= cursor)
            before = range.name;
        cursor = std::max(cursor, range.end);
    }
}

void checkExtent(const std::vector<DataRange>& ranges,
                 bool complete,
                 const Shard& shard,
                 FindingList& findings) {
    const std::int64_t dataBytes = shard.fileBytes - shard.dataOffset;
    std::int64_t end = 0;
    std::vector<std::string> cut;
    std::int64_t cutCount = 0;
    for (const DataRange& range : ranges) {
        if (range.end > dataBytes && range.name.empty())
            continue;  // its own description is wrong already
        end = std::max(end, range.end);
        if (range.end <= dataBytes)
            continue;
        ++cutCount;
        if (cut.size() < 5)
            cut.emplace_back(range.name);
    }
    if (cutCount > 0) {
        Finding& finding = addTruncated(findings, shard, shard.dataOffset + end);
        finding.message +=
            fmt::format("; it cuts {} tensor{}", formatCount(cutCount), cutCount == 1 ? "" : "s");
        finding.tensor = cut.front();
        finding.examples = std::move(cut);
    } else if (complete && end < dataBytes) {
        Finding& finding =
            findings.error("trailing-bytes", shard.fileName,
                           fmt::format("{} has {} B behind its last tensor", shard.fileName,
                                       formatCount(dataBytes - end)));
        finding.expected = std::to_string(shard.dataOffset + end);
        finding.found = std::to_string(shard.fileBytes);
        finding.remedy = kRefetch;
    }
}

}  // namespace

std::vector<std::string> readSafetensors(Shard& shard,
                                         std::int32_t index,
                                         Inventory& inventory,
                                         FindingList& findings,
                                         const CancelToken& cancel) {
    const auto file = openShard(shard, findings);
    if (!file)
        return {};
    const std::string_view header = headerText(file->bytes(), shard, findings);
    if (header.empty() || !checkEncoding(header, shard, findings))
        return {};
    shard.dataOffset = kLengthBytes + static_cast<std::int64_t>(header.size());
    const std::size_t before = inventory.size();
    SafetensorsHeader reader(shard, index, inventory, findings);
    JsonLimits limits;
    limits.cancel = cancel;
    const Status parsed = parseJson(header, reader, limits);
    shard.tensorCount = static_cast<std::int64_t>(inventory.size() - before);
    if (!parsed) {
        jsonFault(findings, shard, "is not valid: " + parsed.error().message, "JSON", "");
        shard.dataOffset = 0;
    } else {
        checkCover(reader.ranges(), reader.complete(), shard, findings);
        checkExtent(reader.ranges(), reader.complete(), shard, findings);
    }
    checkUnchanged(*file, shard, findings);
    return reader.rejected();
}

}  // namespace fl::checkpoint
