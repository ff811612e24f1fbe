// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/gguf.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "engine/base/checked.h"
#include "engine/base/mapped_file.h"
#include "engine/base/text.h"
#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/ggml_type.h"
#include "engine/checkpoint/gguf_cursor.h"
#include "engine/checkpoint/gguf_metadata.h"
#include "engine/checkpoint/gguf_recount.h"
#include "engine/checkpoint/shard_file.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::int64_t kDefaultAlignment = 32;
constexpr std::int64_t kMaxAlignment = 1 << 20;
constexpr std::uint32_t kMaxDimensions = 4;  // GGML_MAX_DIMS
constexpr std::uint64_t kMaxTensors = 1 << 20;
constexpr std::size_t kMaxTensorNameBytes = 64;  // GGML_MAX_NAME
// Name length, dimension count, type and offset of an entry of the tensor table without name and
// dimensions.
constexpr std::uint64_t kLeastEntryBytes = 8 + 4 + 4 + 8;

constexpr std::string_view kRefetch = "fetch this file again, or convert the model again";

// Reads the tensor table and holds every entry against its place in the file.
class GgufTable {
public:
    GgufTable(GgufCursor& cursor,
              const Shard& shard,
              std::int32_t index,
              Inventory& inventory,
              FindingList& findings)
        : cursor_(cursor),
          shard_(shard),
          index_(index),
          inventory_(inventory),
          findings_(findings) {}

    // Offsets in the table count from the end of the table, so the inventory gets its tensors in
    // place(), once that end is known. False if the table could not be read to its end.
    bool read(std::uint64_t count);
    void place(std::int64_t alignment, std::int64_t dataOffset);
    bool checkAlignment(std::int64_t alignment);
    bool isPadding(std::int64_t begin, std::int64_t end) const;
    bool dataBeginsEarly(std::int64_t alignment, std::int64_t dataOffset, std::int64_t end);

private:
    struct Entry {
        std::string_view name;  // in the mapped file
        std::string dims;       // as the file writes them, innermost first
        Shape shape;
        std::optional<DType> dtype;
        std::optional<std::int64_t> bytes;  // nothing: not known, because of a fault
        std::uint64_t offset = 0;
        bool goodName = true;
    };

    bool readEntry(Entry& entry);
    bool readName(Entry& entry);
    bool readShape(Entry& entry, bool& good);
    void takeType(std::uint32_t number, bool goodShape, Entry& entry);
    void checkPlace(const Entry& entry, std::int64_t alignment, std::optional<std::int64_t> due);
    bool ended();
    Finding& fault(const Entry& entry, std::string_view code, const std::string& what);

    GgufCursor& cursor_;
    const Shard& shard_;
    std::int32_t index_;
    Inventory& inventory_;
    FindingList& findings_;
    std::vector<Entry> entries_;
};

Finding& GgufTable::fault(const Entry& entry, std::string_view code, const std::string& what) {
    const std::string shown = printable(entry.name);
    Finding& finding = findings_.error(
        code, shard_.fileName, fmt::format("tensor {} of {} {}", shown, shard_.fileName, what));
    finding.tensor = shown;
    finding.remedy = kRefetch;
    return finding;
}

bool GgufTable::ended() {
    Finding& finding =
        findings_.error("shard-truncated", shard_.fileName,
                        fmt::format("shard {} ends inside its tensor table: it has {} B",
                                    shard_.fileName, formatCount(shard_.fileBytes)));
    finding.expected = fmt::format("> {}", shard_.fileBytes);
    finding.found = std::to_string(shard_.fileBytes);
    finding.remedy = "fetch this file again";
    return false;
}

bool GgufTable::read(std::uint64_t count) {
    if (count > kMaxTensors) {
        Finding& finding = findings_.error(
            "gguf-count", shard_.fileName,
            fmt::format("{} claims {} tensors, more than any file has", shard_.fileName, count));
        finding.key = "tensor_count";
        finding.expected = fmt::format("<= {}", kMaxTensors);
        finding.found = std::to_string(count);
        finding.remedy = kRefetch;
        return false;
    }
    if (count > cursor_.left() / kLeastEntryBytes)
        return ended();
    entries_.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        Entry entry;
        if (!readEntry(entry))
            return false;
        entries_.push_back(entry);
    }
    return true;
}

bool GgufTable::readEntry(Entry& entry) {
    bool goodShape = false;
    std::uint32_t type = 0;
    if (!readName(entry) || !readShape(entry, goodShape))
        return false;
    if (!cursor_.take(type) || !cursor_.take(entry.offset))
        return ended();
    takeType(type, goodShape, entry);
    return true;
}

bool GgufTable::readName(Entry& entry) {
    std::uint64_t length = 0;
    if (!cursor_.take(length))
        return ended();
    if (length > cursor_.left()) {
        Finding& finding =
            fault(entry, "gguf-length", fmt::format("claims a name of {} bytes", length));
        finding.expected = fmt::format("<= {}", kMaxTensorNameBytes);
        finding.found = std::to_string(length);
        return false;
    }
    entry.name = cursor_.takeText(static_cast<std::size_t>(length));
    std::string problem = tensorNameFault(entry.name);
    if (problem.empty() && utf8Fault(entry.name) != std::string_view::npos)
        problem = "is not UTF-8";
    if (problem.empty() && length > kMaxTensorNameBytes)
        problem = fmt::format("has {} bytes, more than {}", length, kMaxTensorNameBytes);
    entry.goodName = problem.empty();
    if (!entry.goodName) {
        Finding& finding = fault(entry, "tensor-name", "has a bad name: it " + problem);
        finding.expected = fmt::format("1 to {} bytes of UTF-8", kMaxTensorNameBytes);
        finding.found = length == 0                    ? "empty"
                        : length > kMaxTensorNameBytes ? fmt::format("{} bytes", length)
                                                       : printable(entry.name);
    }
    return true;
}

bool GgufTable::readShape(Entry& entry, bool& good) {
    std::uint32_t rank = 0;
    if (!cursor_.take(rank))
        return ended();
    if (rank == 0 || rank > kMaxDimensions) {
        Finding& finding = fault(entry, "shape-rank", fmt::format("has {} dimensions", rank));
        finding.expected = fmt::format("1..{} dimensions", kMaxDimensions);
        finding.found = std::to_string(rank);
        if (rank > cursor_.left() / 8)
            return false;
    }
    good = rank > 0 && rank <= kMaxDimensions;
    for (std::uint32_t i = 0; i < rank; ++i) {
        std::uint64_t dim = 0;
        if (!cursor_.take(dim))
            return ended();
        if (rank <= kMaxDimensions)
            entry.dims += fmt::format("{}{}", i == 0 ? "" : ", ", dim);
        // Beyond int64 it becomes negative here and count() refuses it.
        entry.shape.push(static_cast<std::int64_t>(dim));
    }
    if (good && !entry.shape.count()) {
        fault(entry, "shape-overflow", "has more elements than any file holds").found =
            "[" + entry.dims + "]";
        good = false;
    }
    entry.shape.reverse();
    return true;
}

void GgufTable::takeType(std::uint32_t number, bool goodShape, Entry& entry) {
    const auto type = ggmlType(number);
    if (!type) {
        Finding& finding = fault(entry, "dtype-unknown",
                                 fmt::format("has type {}, which ggml does not have", number));
        finding.expected = "a known ggml type";
        finding.found = std::to_string(number);
        return;
    }
    if (!goodShape)
        return;
    const std::int64_t row = entry.shape[entry.shape.rank() - 1];
    const BlockLayout block = blockLayout(*type);
    if (row % block.values != 0) {
        Finding& finding =
            fault(entry, "shape-block",
                  fmt::format("has rows of {}, no whole blocks of {} values", row, block.values));
        finding.expected = fmt::format("rows of {} n", block.values);
        finding.found = std::to_string(row);
        return;
    }
    entry.bytes = checkedMultiply(*entry.shape.count() / block.values, block.bytes);
    entry.dtype = type;
    if (!entry.bytes)
        fault(entry, "shape-overflow", "has more bytes than any file holds").found =
            "[" + entry.dims + "]";
}

// The specification lays tensors out in the order of the table, each padded to the alignment.
void GgufTable::checkPlace(const Entry& entry,
                           std::int64_t alignment,
                           std::optional<std::int64_t> due) {
    const auto offset = static_cast<std::int64_t>(entry.offset);  // negative: beyond int64
    std::string_view code;
    std::string what;
    if (offset < 0 || offset % alignment != 0) {
        code = "offset-unaligned";
        what = fmt::format("begins at {}, no multiple of {}", entry.offset, alignment);
    } else if (due && offset < *due) {
        code = "offsets-overlap";
        what = fmt::format("shares {} B with the tensor before it", formatCount(*due - offset));
    } else if (due && offset > *due) {
        code = "offsets-gap";
        what = fmt::format("leaves {} B before it to no tensor", formatCount(offset - *due));
    }
    if (code.empty())
        return;
    Finding& finding = fault(entry, code, what);
    finding.expected = due ? std::to_string(*due) : fmt::format("a multiple of {}", alignment);
    finding.found = std::to_string(entry.offset);
}

// Data laid out by another alignment than the file says: every tensor would be wrong.
bool GgufTable::checkAlignment(std::int64_t alignment) {
    const auto fits = [this](std::int64_t step) {
        std::int64_t due = 0;
        for (const Entry& entry : entries_) {
            if (!entry.bytes || entry.offset != static_cast<std::uint64_t>(due))
                return false;
            const auto end = checkedAdd(due, *entry.bytes);
            if (!end || *end > shard_.fileBytes)
                return false;
            due = roundUp(*end, step);
        }
        return true;
    };
    if (entries_.empty() || fits(alignment))
        return true;
    for (std::int64_t step = 8; step <= kMaxAlignment; step *= 2) {
        if (!fits(step))
            continue;
        Finding& finding = findings_.error("gguf-alignment", shard_.fileName,
                                           fmt::format("{} says {}, but its data is laid out by {}",
                                                       shard_.fileName, alignment, step));
        finding.key = "general.alignment";
        finding.expected = fmt::format("data at multiples of {}", alignment);
        finding.found = fmt::format("multiples of {}", step);
        finding.remedy = kRefetch;
        return false;
    }
    return true;
}

// Zeros are padding, whatever follows; weights do not begin with so many of them.
bool GgufTable::isPadding(std::int64_t begin, std::int64_t end) const {
    GgufCursor cursor = cursor_;
    const auto skipped = static_cast<std::size_t>(begin) - cursor.at();
    const auto size = static_cast<std::size_t>(end - begin);
    if (cursor.left() < skipped + size)
        return true;
    cursor.takeText(skipped);
    const std::string_view bytes = cursor.takeText(size);
    return bytes.find_first_not_of('\0') == std::string_view::npos;
}

// A file that is short by no more than padding: none was written, or that of another alignment.
bool GgufTable::dataBeginsEarly(std::int64_t alignment, std::int64_t dataOffset, std::int64_t end) {
    const auto tableEnd = static_cast<std::int64_t>(cursor_.at());
    for (std::int64_t step = 1; step < alignment; step = std::max<std::int64_t>(8, step * 2)) {
        const std::int64_t early = roundUp(tableEnd, step);
        if (end - shard_.fileBytes != dataOffset - early || early == dataOffset ||
            isPadding(early, dataOffset))
            continue;
        Finding& finding =
            findings_.error(step == 1 ? "gguf-padding" : "gguf-alignment", shard_.fileName,
                            fmt::format("the data of {} begins at {}, not at a multiple of {}",
                                        shard_.fileName, early, alignment));
        if (step > 1)
            finding.key = "general.alignment";
        finding.expected = step == 1 ? fmt::format("data at {}", dataOffset)
                                     : fmt::format("data at multiples of {}", alignment);
        finding.found =
            step == 1 ? fmt::format("data at {}", early) : fmt::format("multiples of {}", step);
        finding.remedy = kRefetch;
        return true;
    }
    return false;
}

void GgufTable::place(std::int64_t alignment, std::int64_t dataOffset) {
    const bool aligned = checkAlignment(alignment);
    std::optional<std::int64_t> due = 0;
    std::int64_t end = dataOffset;
    const Entry* last = nullptr;
    bool complete = true;
    for (const Entry& entry : entries_) {
        if (aligned)
            checkPlace(entry, alignment, due);
        due.reset();
        const auto offset = static_cast<std::int64_t>(entry.offset);
        const auto begin = offset < 0 ? std::nullopt : checkedAdd(dataOffset, offset);
        const auto stop = begin && entry.bytes ? checkedAdd(*begin, *entry.bytes) : std::nullopt;
        complete = complete && stop;
        if (!stop)
            continue;
        if (const auto padded = checkedAdd(*stop, alignment - 1))
            due = *padded / alignment * alignment - dataOffset;
        if (*stop > end)
            last = &entry;
        end = std::max(end, *stop);
        if (entry.dtype && entry.goodName)
            inventory_.add({entry.name, *entry.dtype, entry.shape, index_, *begin, *entry.bytes});
    }
    if (end > shard_.fileBytes) {
        if (aligned && dataBeginsEarly(alignment, dataOffset, end))
            return;
        Finding& finding = addTruncated(findings_, shard_, end);
        if (last)
            finding.tensor = printable(last->name);
    } else if (complete && shard_.fileBytes - end >= alignment) {
        Finding& finding =
            findings_.warning("trailing-bytes", shard_.fileName,
                              fmt::format("{} has {} B behind its last tensor", shard_.fileName,
                                          formatCount(shard_.fileBytes - end)));
        finding.expected = std::to_string(end);
        finding.found = std::to_string(shard_.fileBytes);
    }
}

// False if this is no GGUF file that can be read on.
bool readStart(std::span<const std::byte> bytes,
               GgufCursor& cursor,
               const Shard& shard,
               FindingList& findings) {
    if (bytes.size() < kMagic.size()) {
        addTruncated(findings, shard, 24);
        return false;
    }
    std::uint32_t version = 0;
    if (cursor.takeText(kMagic.size()) != kMagic) {
        addForeignFile(findings, "not-gguf", shard.fileName, "GGUF", bytes);
        return false;
    }
    if (!cursor.take(version)) {
        addTruncated(findings, shard, 24);
        return false;
    }
    if (version == 2 || version == 3)
        return true;
    const bool swapped = version != 0 && (version & 0xffff) == 0;
    Finding& finding =
        findings.error("gguf-version", shard.fileName,
                       swapped ? fmt::format("{} is a big-endian GGUF file", shard.fileName)
                               : fmt::format("{} has GGUF version {}", shard.fileName, version));
    finding.expected = "2 or 3";
    finding.found = swapped ? "big-endian file" : std::to_string(version);
    finding.remedy = "convert the model again with a current converter";
    return false;
}

std::int64_t alignmentOf(const GgufMetadata& metadata, const Shard& shard, FindingList& findings) {
    constexpr std::string_view kKey = "general.alignment";
    const Json* const value = metadata.pairs().find(kKey);
    if (!value)
        return kDefaultAlignment;
    const std::int64_t alignment = value->integer(-1);
    const bool isU32 = metadata.typeOf(kKey) == GgufType::U32;
    const bool step = alignment >= 8 && std::has_single_bit(static_cast<std::uint64_t>(alignment));
    if (isU32 && step && alignment <= std::max<std::int64_t>(shard.fileBytes, 32))
        return alignment;
    Finding& finding = findings.error(
        "gguf-alignment", shard.fileName,
        fmt::format("{} of {} is nothing that data can be laid out by", kKey, shard.fileName));
    finding.key = kKey;
    finding.expected = !isU32 ? "u32"
                       : step ? fmt::format("<= {} (the whole file)", shard.fileBytes)
                              : "power of two, multiple of 8";
    finding.found = isU32 ? std::to_string(alignment) : std::string(name(metadata.typeOf(kKey)));
    finding.remedy = kRefetch;
    return kDefaultAlignment;
}

// Counts that are one off would shift all that follows; the rest is read by the right ones.
void correctCounts(std::span<const std::byte> bytes,
                   const Shard& shard,
                   std::uint64_t& tensors,
                   std::uint64_t& pairs,
                   FindingList& findings) {
    const auto real = recountGguf(bytes, {tensors, pairs});
    if (!real)
        return;
    const auto correct = [&](const char* key, std::uint64_t& claimed, std::uint64_t found) {
        if (claimed == found)
            return;
        Finding& finding = findings.error("gguf-count", shard.fileName,
                                          fmt::format("{} of {} is {}, but the file holds {}", key,
                                                      shard.fileName, claimed, found));
        finding.key = key;
        finding.expected = std::to_string(found);
        finding.found = std::to_string(claimed);
        finding.remedy = kRefetch;
        claimed = found;
    };
    correct("tensor_count", tensors, real->tensors);
    correct("metadata_kv_count", pairs, real->pairs);
}

}  // namespace

Json readGgufPairs(const std::string& path) {
    const auto file = MappedFile::open(path);
    if (!file)
        return {};
    Shard shard;
    FindingList findings;
    GgufCursor cursor(file->bytes());
    std::uint64_t tensorCount = 0;
    std::uint64_t pairCount = 0;
    if (!readStart(file->bytes(), cursor, shard, findings) || !cursor.take(tensorCount) ||
        !cursor.take(pairCount))
        return {};
    GgufMetadata metadata(cursor, shard, findings);
    return metadata.read(pairCount) ? metadata.take() : Json();
}

Json readGguf(Shard& shard,
              std::int32_t index,
              Inventory& inventory,
              FindingList& findings,
              const CancelToken& cancel) {
    const auto file = openShard(shard, findings);
    if (!file)
        return Json::object();
    GgufCursor cursor(file->bytes(), cancel);
    std::uint64_t tensorCount = 0;
    std::uint64_t pairCount = 0;
    if (!readStart(file->bytes(), cursor, shard, findings))
        return Json::object();
    if (!cursor.take(tensorCount) || !cursor.take(pairCount)) {
        addTruncated(findings, shard, 24);
        return Json::object();
    }
    correctCounts(file->bytes(), shard, tensorCount, pairCount, findings);
    GgufMetadata metadata(cursor, shard, findings);
    GgufTable table(cursor, shard, index, inventory, findings);
    if (metadata.read(pairCount) && table.read(tensorCount)) {
        const std::int64_t alignment = alignmentOf(metadata, shard, findings);
        const std::size_t before = inventory.size();
        shard.dataOffset = roundUp(static_cast<std::int64_t>(cursor.at()), alignment);
        table.place(alignment, shard.dataOffset);
        shard.tensorCount = static_cast<std::int64_t>(inventory.size() - before);
    }
    checkUnchanged(*file, shard, findings);
    return metadata.take();
}

}  // namespace fl::checkpoint
