// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/index.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "engine/base/json.h"
#include "engine/base/mapped_file.h"
#include "engine/base/text.h"
#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/shard_file.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

constexpr std::string_view kRefetch = "fetch the index again";

// Why a file name is refused, or "". Only files of the folder itself are ever opened.
std::string_view pathFault(std::string_view file) {
    if (file.empty())
        return "empty name";
    if (file.find('\0') != std::string_view::npos)
        return "NUL in the name";
    if (file.front() == '/')
        return "absolute path";
    if (file == ".." || file.starts_with("../") || file.find("/../") != std::string_view::npos ||
        file.ends_with("/.."))
        return "path outside the folder";
    if (!file.ends_with(".safetensors"))
        return "no .safetensors file";
    return {};
}

// {"metadata": {"total_size": N}, "weight_map": {tensor: file}}, taken event by event.
class IndexHandler : public JsonHandler {
public:
    IndexHandler(ShardIndex& index, FindingList& findings) : index_(index), findings_(findings) {}

    bool hasMap() const { return hasMap_; }

    bool null() override { return other("null"); }
    bool boolean(bool value) override { return other(value ? "true" : "false"); }
    bool integer(std::int64_t value) override {
        if (isTotal())
            index_.totalBytes = value;
        return isTotal() || other("number");
    }
    bool tooLarge(std::uint64_t value) override { return other(std::to_string(value)); }
    bool number(double value) override { return other(fmt::format("{}", value)); }
    bool string(std::string& value) override {
        if (depth_ == 2 && section_ == Section::Map)
            addEntry(value);
        else
            other("string");
        return true;
    }
    bool key(std::string& value) override {
        if (depth_ == 1) {
            section_ = value == "weight_map" ? Section::Map
                       : value == "metadata" ? Section::Metadata
                                             : Section::None;
        } else if (depth_ == 2) {
            key_ = value;
        }
        return true;
    }
    bool duplicateKey(const std::string& value) override {
        if (depth_ == 2 && section_ == Section::Map) {
            Finding& finding = findings_.error(
                "index-json", index_.fileName,
                fmt::format("{} lists tensor {} twice", index_.fileName, printable(value)));
            finding.tensor = printable(value);
            finding.expected = "one entry";
            finding.found = "2";
            return true;
        }
        return false;
    }
    bool startObject() override {
        if (depth_ == 1 && section_ == Section::Map)
            hasMap_ = true;
        if (depth_ != 0 && (depth_ != 1 || section_ == Section::None))
            other("object");
        ++depth_;
        return true;
    }
    bool endObject() override {
        --depth_;
        return true;
    }
    bool startArray() override {
        if (!other("list"))
            return false;
        if (depth_ == 1)
            section_ = Section::None;  // what it holds are no entries
        ++depth_;
        return true;
    }
    bool endArray() override {
        --depth_;
        return true;
    }
    Error stopReason() const override { return {ErrorCode::Corrupt, "is not an object"}; }

private:
    enum class Section : std::uint8_t { None, Map, Metadata };

    bool isTotal() const {
        return depth_ == 2 && section_ == Section::Metadata && key_ == "total_size";
    }

    // A value that is not what belongs here.
    bool other(std::string_view found) {
        if (depth_ == 0)
            return false;
        if (depth_ == 1 && section_ == Section::Metadata) {
            Finding& finding =
                findings_.warning("index-metadata", index_.fileName,
                                  fmt::format("metadata of {} is a {}", index_.fileName, found));
            finding.key = "metadata";
            finding.expected = "object";
            finding.found = found;
        } else if (isTotal()) {
            totalFault(found);
        } else if (depth_ == 2 && section_ == Section::Map) {
            pathProblem(found, found);
        }
        return true;
    }

    void totalFault(std::string_view found) {
        Finding& finding = findings_.warning(
            "index-total-size", index_.fileName,
            fmt::format("total_size of {} is no number of bytes", index_.fileName));
        finding.key = "metadata.total_size";
        finding.expected = "integer";
        finding.found = found;
    }

    void pathProblem(std::string_view file, std::string_view found) {
        Finding& finding = findings_.error(
            "index-path", index_.fileName,
            fmt::format("{} puts tensor {} into '{}', which is not the name of a weight file in "
                        "the folder",
                        index_.fileName, printable(key_), printable(file)));
        finding.tensor = printable(key_);
        finding.expected = "name of a .safetensors file in the folder";
        finding.found = found;
        finding.remedy = kRefetch;
    }

    void addEntry(const std::string& file) {
        if (const std::string_view problem = pathFault(file); !problem.empty()) {
            pathProblem(file, problem);
            return;
        }
        const auto [place, isNew] =
            files_.try_emplace(file, static_cast<std::int32_t>(index_.files.size()));
        if (isNew)
            index_.files.push_back(file);
        index_.entries.push_back({index_.names.keep(key_), place->second});
    }

    ShardIndex& index_;
    FindingList& findings_;
    std::map<std::string, std::int32_t, std::less<>> files_;
    int depth_ = 0;
    Section section_ = Section::None;
    bool hasMap_ = false;
    std::string key_;
};

// Shards are numbered in the order of their names, whatever order the index has.
void sortFiles(ShardIndex& index) {
    std::vector<std::int32_t> order(index.files.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&index](std::int32_t a, std::int32_t b) {
        return index.files[static_cast<std::size_t>(a)] < index.files[static_cast<std::size_t>(b)];
    });
    std::vector<std::int32_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    for (ShardIndex::Entry& entry : index.entries)
        entry.file = place[static_cast<std::size_t>(entry.file)];
    std::sort(index.files.begin(), index.files.end());
}

void indexFault(FindingList& findings,
                const std::string& fileName,
                const std::string& what,
                std::string_view expected) {
    Finding& finding = findings.error("index-json", fileName, fileName + ": " + what);
    finding.expected = expected;
    finding.remedy = kRefetch;
}

void mapFault(FindingList& findings, const ShardIndex& index, bool present) {
    Finding& finding = findings.error(
        "index-weight-map", index.fileName,
        fmt::format("{} has {} weight_map", index.fileName, present ? "an empty" : "no"));
    finding.key = "weight_map";
    finding.expected = "object";
    finding.found = present ? "0" : "absent";
    finding.remedy = kRefetch;
}

const std::string& shardName(const Checkpoint& checkpoint, const TensorInfo& tensor) {
    return checkpoint.shards[static_cast<std::size_t>(tensor.shard)].fileName;
}

void checkEntry(const ShardIndex& index,
                const ShardIndex::Entry& entry,
                const TensorInfo* tensor,
                const Checkpoint& checkpoint,
                FindingList& findings) {
    const std::string& file = index.files[static_cast<std::size_t>(entry.file)];
    if (tensor && tensor->shard != entry.file) {
        const std::string& real = shardName(checkpoint, *tensor);
        Finding& finding = findings.error("tensor-in-other-shard", index.fileName,
                                          fmt::format("{} puts tensor {} into {}, but it is in {}",
                                                      index.fileName, entry.tensor, file, real));
        finding.tensor = entry.tensor;
        finding.expected = real;
        finding.found = file;
        finding.remedy = kRefetch;
    } else if (!tensor && checkpoint.shards[static_cast<std::size_t>(entry.file)].dataOffset > 0) {
        // A file whose header could not be read has a finding of its own.
        Finding& finding =
            findings.error("tensor-not-in-shard", file,
                           fmt::format("tensor {} is not in {}, where the index puts it",
                                       printable(entry.tensor), file));
        finding.tensor = printable(entry.tensor);
        finding.expected = "in " + file;
        finding.found = "absent";
        finding.remedy = "fetch this file and the index again";
    }
}

void addUnlisted(const ShardIndex& index,
                 const TensorInfo& tensor,
                 const Checkpoint& checkpoint,
                 FindingList& findings) {
    const std::string& file = shardName(checkpoint, tensor);
    Finding& finding =
        findings.error("tensor-not-in-index", index.fileName,
                       fmt::format("tensor {} is in {}, but not in the index", tensor.name, file));
    finding.tensor = tensor.name;
    finding.expected = "listed";
    finding.found = "only in " + file;
    finding.remedy = kRefetch;
}

void checkTotal(const ShardIndex& index, const Checkpoint& checkpoint, FindingList& findings) {
    if (!index.totalBytes)
        return;
    const std::int64_t actual = checkpoint.tensorBytes();
    if (*index.totalBytes == actual)
        return;
    Finding& finding =
        findings.warning("index-total-size", index.fileName,
                         fmt::format("{} says total_size {}, the tensors have {} B", index.fileName,
                                     formatCount(*index.totalBytes), formatCount(actual)));
    finding.key = "metadata.total_size";
    finding.expected = std::to_string(actual);
    finding.found = std::to_string(*index.totalBytes);
}

}  // namespace

std::optional<ShardIndex> readIndex(const std::string& folder,
                                    const std::string& fileName,
                                    FindingList& findings,
                                    const CancelToken& cancel) {
    const auto file = MappedFile::open(folder + "/" + fileName);
    if (!file) {
        addOpenFault(findings, fileName, file.error());
        return std::nullopt;
    }
    const auto bytes = file->bytes();
    if (fileKind(bytes) == FileKind::LfsPointer || fileKind(bytes) == FileKind::HtmlPage) {
        addForeignFile(findings, "index-json", fileName, "JSON", bytes);
        return std::nullopt;
    }
    ShardIndex index;
    index.fileName = fileName;
    IndexHandler handler(index, findings);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    JsonLimits limits;
    limits.cancel = cancel;
    if (const Status parsed = parseJson(text, handler, limits); !parsed) {
        indexFault(findings, fileName, parsed.error().message, "JSON");
        return std::nullopt;
    }
    if (const Status intact = file->checkIntact(); !intact) {
        findings.error("file-changed", fileName, intact.error().message);
        return std::nullopt;
    }
    if (index.entries.empty()) {
        mapFault(findings, index, handler.hasMap());
        return std::nullopt;
    }
    sortFiles(index);
    return index;
}

void checkIndex(const ShardIndex& index,
                const Checkpoint& checkpoint,
                const std::vector<std::string>& rejected,
                FindingList& findings) {
    const Inventory& inventory = checkpoint.inventory;
    std::vector<bool> listed(inventory.size(), false);
    for (const ShardIndex::Entry& entry : index.entries) {
        const TensorInfo* tensor = inventory.find(entry.tensor);
        if (tensor)
            listed[static_cast<std::size_t>(tensor - inventory.tensors().data())] = true;
        else if (std::binary_search(rejected.begin(), rejected.end(), entry.tensor))
            continue;
        checkEntry(index, entry, tensor, checkpoint, findings);
    }
    for (std::size_t i = 0; i < listed.size(); ++i) {
        const TensorInfo& tensor = inventory.tensors()[i];
        // find() gives the first of equal names; the others are tensor-duplicate already.
        const bool repeats = i > 0 && inventory.tensors()[i - 1].name == tensor.name;
        if (!listed[i] && !repeats)
            addUnlisted(index, tensor, checkpoint, findings);
    }
    // With files missing the sum says nothing.
    const bool allRead = std::all_of(checkpoint.shards.begin(), checkpoint.shards.end(),
                                     [](const Shard& shard) { return shard.dataOffset > 0; });
    if (allRead)
        checkTotal(index, checkpoint, findings);
}

}  // namespace fl::checkpoint
