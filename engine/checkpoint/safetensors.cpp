// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/safetensors_header.h"
#include "engine/checkpoint/shard_file.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

constexpr std::int64_t kLengthBytes = 8;
constexpr std::string_view kRefetch = "fetch this file again";

void lengthFault(FindingList& findings,
                 const Shard& shard,
                 std::uint64_t length,
                 std::string expected) {
    Finding& finding = findings.error(
        "header-length", shard.fileName,
        fmt::format("{}: the length in front of the header says {} bytes, which cannot be",
                    shard.fileName, length));
    finding.expected = std::move(expected);
    finding.found = std::to_string(length);
    finding.remedy = kRefetch;
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

// One shard on its way from a file to an inventory.
class ShardReader {
public:
    ShardReader(Shard& shard, std::int32_t index, Inventory& inventory, FindingList& findings)
        : shard_(shard),
          index_(index),
          inventory_(inventory),
          findings_(findings) {}

    ShardReading run(const CancelToken& cancel) {
        auto file = openShardFile(shard_, findings_);
        if (!file)
            return {};
        if (const Status read = readAll(*file, cancel); !read) {
            addOpenFault(findings_, shard_.fileName, shard_.path, read.error());
            shard_.dataOffset = 0;
        }
        checkUnchanged(*file, shard_, findings_);
        return std::move(out_);
    }

private:
    // Fails only where the operating system does.
    Status readAll(const FileReader& file, const CancelToken& cancel) {
        FL_DO(readHead(file));
        if (!checkKind())
            return Done{};
        std::memcpy(&length_, head_.data(), sizeof length_);
        FL_TRY(const bool good, checkLength(file));
        if (!good)
            return Done{};
        std::string text(static_cast<std::size_t>(length_), '\0');
        FL_DO(file.read(kLengthBytes, std::as_writable_bytes(std::span(text))));
        if (checkEncoding(text))
            parse(text, cancel);
        return Done{};
    }

    Status readHead(const FileReader& file) {
        const auto size = std::min<std::int64_t>(kHeadBytes, shard_.fileBytes);
        head_ = std::span(headBytes_).first(static_cast<std::size_t>(size));
        return file.read(0, head_);
    }

    bool checkKind() {
        const FileKind kind = fileKind(head_);
        if (kind == FileKind::Zeros && shard_.fileBytes >= kLengthBytes) {
            Finding& finding = findings_.error(
                "not-safetensors", shard_.fileName,
                fmt::format("{} begins with zeros: its space was reserved and nothing written",
                            shard_.fileName));
            finding.expected = "header length > 1";
            finding.found = "only zeros";
            finding.remedy = kRefetch;
            return false;
        }
        if (shard_.fileBytes < kLengthBytes && kind != FileKind::JsonText) {
            Finding& finding = addTruncated(findings_, shard_, kLengthBytes);
            finding.expected = "8 or more bytes";
            return false;
        }
        if (kind == FileKind::Unknown || kind == FileKind::Safetensors)
            return true;
        addForeignFile(findings_, "not-safetensors", shard_.fileName, "safetensors", head_);
        return false;
    }

    Result<bool> checkLength(const FileReader& file) {
        const std::int64_t room = shard_.fileBytes - kLengthBytes;
        if (length_ < 2) {
            lengthFault(findings_, shard_, length_, "2 or more");
            return false;
        }
        if (length_ > static_cast<std::uint64_t>(kMaxHeaderBytes)) {
            FL_TRY(std::string expected, expectedLength(file, room));
            lengthFault(findings_, shard_, length_, std::move(expected));
            return false;
        }
        if (static_cast<std::int64_t>(length_) <= room)
            return true;
        // Either the file was cut, or the number is wrong: then the text is complete.
        FL_TRY(const bool complete, headerEndsWithin(file, room));
        if (complete)
            lengthFault(findings_, shard_, length_, fmt::format("<= {}", room));
        else
            out_.cutHeaderEnd = kLengthBytes + static_cast<std::int64_t>(length_);
        return false;
    }

    // What a length that cannot be should have been: the same bytes the other way round, if that
    // is where the text of the header ends.
    Result<std::string> expectedLength(const FileReader& file, std::int64_t room) const {
        const std::int64_t most = std::min(kMaxHeaderBytes, room);
        const std::uint64_t swapped = __builtin_bswap64(length_);
        if (swapped >= 2 &&
            swapped <= static_cast<std::uint64_t>(std::max<std::int64_t>(most, 0))) {
            FL_TRY(const bool ends, headerEndsWithin(file, static_cast<std::int64_t>(swapped)));
            if (ends)
                return fmt::format("{} (little-endian)", swapped);
        }
        return fmt::format("<= {}", most);
    }

    // Whether the first value of the text is complete within `room` bytes.
    static Result<bool> headerEndsWithin(const FileReader& file, std::int64_t room) {
        std::string text(static_cast<std::size_t>(room), '\0');
        FL_DO(file.read(kLengthBytes, std::as_writable_bytes(std::span(text))));
        JsonScanner scanner(text, 200'000'000);
        return scanner.skip(scanner.next());
    }

    bool checkEncoding(std::string_view text) {
        if (text.front() != '{') {
            std::string found = fmt::format("0x{:02x}", static_cast<unsigned char>(text.front()));
            JsonScanner scanner(text);
            const JsonScanner::Token token = scanner.next();
            if (text.front() == ' ')
                found = "space";
            else if (text.starts_with(kByteOrderMark))
                found = "byte order mark";
            else if (token != JsonScanner::Token::Fault)
                found = token == JsonScanner::Token::BeginArray ? "array" : kindOf(scanner, token);
            jsonFault(findings_, shard_, "does not begin with a brace", "{ (an object)", found);
            return false;
        }
        if (const std::size_t at = utf8Fault(text); at != std::string_view::npos) {
            jsonFault(findings_, shard_, fmt::format("is not UTF-8 at byte {}", at), "UTF-8",
                      fmt::format("0x{:02x}", static_cast<unsigned char>(text[at])));
            return false;
        }
        return true;
    }

    void parse(std::string_view text, const CancelToken& cancel) {
        shard_.dataOffset = kLengthBytes + static_cast<std::int64_t>(text.size());
        SafetensorsHeader header(text, shard_, index_, inventory_, findings_);
        const auto fault = header.read(cancel);
        const bool repeats = finishTensors();
        if (fault) {
            addFault(*fault);
            shard_.dataOffset = 0;
        } else if (!repeats) {
            checkCover(header);
            checkExtent(header);
        }
        out_.rejected = header.rejected();
        out_.badNames = header.badNames();
    }

    // True if a name appears twice.
    bool finishTensors() {
        const auto twice = inventory_.finish();
        for (const std::string_view name : twice) {
            Finding& finding = findings_.error(
                "tensor-duplicate", shard_.fileName,
                fmt::format("tensor {} appears twice in the header of {}", name, shard_.fileName));
            finding.tensor = name;
            finding.expected = "one entry";
            finding.found = "2";
            finding.remedy = kRefetch;
        }
        if (!twice.empty())
            inventory_.dropRepeats();
        shard_.tensorCount = static_cast<std::int64_t>(inventory_.size());
        return !twice.empty();
    }

    void addFault(const JsonFault& fault) {
        if (fault.found == "end of text") {
            jsonFault(findings_, shard_, "ends before it is complete", "complete JSON",
                      fmt::format("ends inside the header at byte {}", kLengthBytes + fault.byte));
            return;
        }
        jsonFault(findings_, shard_, "is not valid: " + fault.message(), fault.expected,
                  fault.found);
    }

    Finding& layoutFault(std::string_view code, const DataRange& range, std::string_view what) {
        Finding& finding = findings_.error(
            code, shard_.fileName,
            fmt::format("tensor {} of {} {}", range.name.empty() ? "(bad entry)" : range.name,
                        shard_.fileName, what));
        finding.tensor = range.name;
        finding.remedy = kRefetch;
        return finding;
    }

    void checkCover(const SafetensorsHeader& header);
    void checkExtent(const SafetensorsHeader& header);

    static constexpr std::int64_t kHeadBytes = 512;

    Shard& shard_;
    std::int32_t index_;
    Inventory& inventory_;
    FindingList& findings_;
    ShardReading out_;
    std::array<std::byte, kHeadBytes> headBytes_{};
    std::span<std::byte> head_;
    std::uint64_t length_ = 0;
};

// Every byte of the data belongs to exactly one tensor.
void ShardReader::checkCover(const SafetensorsHeader& header) {
    std::vector<DataRange> ranges = header.ranges();
    const auto before = [](const DataRange& a, const DataRange& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    };
    if (!std::is_sorted(ranges.begin(), ranges.end(), before))
        std::stable_sort(ranges.begin(), ranges.end(), before);
    std::int64_t cursor = 0;
    std::string_view last;
    std::int64_t lastBegin = 0;
    for (const DataRange& range : ranges) {
        if (range.begin < cursor) {
            const std::int64_t shared = std::min(cursor, range.end) - range.begin;
            Finding& finding =
                layoutFault("offsets-overlap", range,
                            fmt::format("shares {} B with {}", formatCount(shared), last));
            const bool same = range.begin == lastBegin && range.end == cursor;
            finding.expected = same ? "its own bytes" : std::to_string(cursor);
            finding.found = same ? fmt::format("those of {}", last) : std::to_string(range.begin);
        } else if (range.begin > cursor && header.complete()) {
            Finding& finding = layoutFault("offsets-gap", range,
                                           fmt::format("leaves {} B before it to no tensor",
                                                       formatCount(range.begin - cursor)));
            finding.expected = std::to_string(cursor);
            finding.found = std::to_string(range.begin);
        }
        if (range.end >= cursor) {
            last = range.name;
            lastBegin = range.begin;
        }
        cursor = std::max(cursor, range.end);
    }
}

void ShardReader::checkExtent(const SafetensorsHeader& header) {
    const std::int64_t dataBytes = shard_.fileBytes - shard_.dataOffset;
    std::int64_t end = 0;
    std::vector<std::string> cut;
    std::int64_t cutCount = 0;
    for (const DataRange& range : header.ranges()) {
        if (range.end > dataBytes && range.name.empty()) {
            end = std::max(end, dataBytes);  // its own description is wrong already
            continue;
        }
        end = std::max(end, range.end);
        if (range.end <= dataBytes)
            continue;
        ++cutCount;
        constexpr std::size_t kExamples = 5;
        if (cut.size() == kExamples)  // the first ones, and the last
            cut.pop_back();
        cut.emplace_back(range.name);
    }
    if (cutCount > 0) {
        Finding& finding = addTruncated(findings_, shard_, shard_.dataOffset + end);
        finding.message +=
            fmt::format("; it cuts {} tensor{}", formatCount(cutCount), cutCount == 1 ? "" : "s");
        finding.tensor = cut.front();
        finding.examples = std::move(cut);
    } else if (header.complete() && end < dataBytes) {
        Finding& finding =
            findings_.error("trailing-bytes", shard_.fileName,
                            fmt::format("{} has {} B behind its last tensor", shard_.fileName,
                                        formatCount(dataBytes - end)));
        finding.expected = std::to_string(shard_.dataOffset + end);
        finding.found = std::to_string(shard_.fileBytes);
        finding.remedy = kRefetch;
    }
}

}  // namespace

ShardReading readSafetensors(Shard& shard,
                             std::int32_t index,
                             Inventory& inventory,
                             FindingList& findings,
                             const CancelToken& cancel) {
    return ShardReader(shard, index, inventory, findings).run(cancel);
}

void addCutHeader(FindingList& findings,
                  const Shard& shard,
                  std::int64_t headerEnd,
                  std::int64_t dataBytes) {
    Finding& finding = addTruncated(findings, shard, headerEnd + dataBytes);
    if (dataBytes > 0)
        finding.expected = fmt::format("{} ({} of them header)", headerEnd + dataBytes, headerEnd);
    finding.message += "; it ends inside its header";
}

}  // namespace fl::checkpoint
