// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/index_check.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/checkpoint/affected.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

constexpr std::string_view kRefetch = "fetch the index again";

const std::string& shardName(const Checkpoint& checkpoint, const TensorInfo& tensor) {
    return checkpoint.shards[static_cast<std::size_t>(tensor.shard)].fileName;
}

class IndexCheck {
public:
    IndexCheck(const IndexEvidence& evidence, FindingList& findings)
        : index_(evidence.index),
          checkpoint_(evidence.checkpoint),
          readings_(evidence.readings),
          beside_(evidence.beside),
          findings_(findings),
          actualBytes_(evidence.checkpoint.tensorBytes()),
          lost_(evidence.checkpoint.shards.size()) {
        for (const ShardReading& reading : readings_)
            rejected_.insert(rejected_.end(), reading.rejected.begin(), reading.rejected.end());
        std::sort(rejected_.begin(), rejected_.end());
        for (const ShardIndex::Refused& refused : index_.refused)
            refused_.push_back(refused.tensor);
        std::sort(refused_.begin(), refused_.end());
    }

    std::vector<std::string_view> run() {
        compare();
        for (const ShardIndex::Refused& refused : index_.refused)
            addRefused(refused);
        for (std::size_t shard = 0; shard < lost_.size(); ++shard)
            explainLost(shard);
        // With files missing the sum says nothing.
        if (allRead())
            checkTotal();
        return std::move(named_);
    }

private:
    // Both sides are sorted by name: one walk.
    void compare() {
        const auto& tensors = checkpoint_.inventory.tensors();
        auto tensor = tensors.begin();
        for (const ShardIndex::Entry& entry : index_.entries) {
            for (; tensor != tensors.end() && tensor->name < entry.tensor; ++tensor)
                addUnlisted(*tensor);
            if (tensor == tensors.end() || tensor->name != entry.tensor) {
                addAbsent(entry);
                continue;
            }
            if (tensor->shard != entry.file)
                addOtherShard(entry, shardName(checkpoint_, *tensor));
            // Equal names further on are tensor-duplicate already.
            while (tensor != tensors.end() && tensor->name == entry.tensor)
                ++tensor;
        }
        for (; tensor != tensors.end(); ++tensor)
            addUnlisted(*tensor);
    }

    bool allRead() const {
        return std::all_of(checkpoint_.shards.begin(), checkpoint_.shards.end(),
                           [](const Shard& shard) { return shard.dataOffset > 0; });
    }

    void addOtherShard(const ShardIndex::Entry& entry, const std::string& real) {
        const std::string& file = index_.files[static_cast<std::size_t>(entry.file)];
        Finding& finding =
            findings_.error("tensor-in-other-shard", index_.fileName,
                            fmt::format("{} puts tensor {} into {}, but it is in {}",
                                        index_.fileName, printable(entry.tensor), file, real));
        finding.tensor = printable(entry.tensor);
        finding.expected = real;
        finding.found = file;
        finding.remedy = kRefetch;
    }

    void addAbsent(const ShardIndex::Entry& entry) {
        const auto shard = static_cast<std::size_t>(entry.file);
        if (checkpoint_.shards[shard].dataOffset == 0) {
            lost_[shard].push_back(entry.tensor);  // the file has a finding of its own
            return;
        }
        if (std::binary_search(rejected_.begin(), rejected_.end(), entry.tensor))
            return;
        if (const TensorInfo* real = beside_.inventory.find(entry.tensor))
            return addOtherShard(entry, shardName(beside_, *real));
        // Where the headers hold as many bytes as the index says, they lost nothing, and it is the
        // index that names too much.
        const bool headersWhole = index_.totalBytes == actualBytes_;
        const std::string& file = index_.files[shard];
        const std::string name = printable(entry.tensor);
        Finding& finding = findings_.error(
            "tensor-not-in-shard", headersWhole ? index_.fileName : file,
            fmt::format("tensor {} is not in {}, where the index puts it", name, file));
        finding.tensor = name;
        finding.expected = "in " + file;
        finding.found = "absent";
        const auto& bad = readings_[shard].badNames;
        if (!bad.empty())
            finding.found += fmt::format("; {} in its header", join(bad, ", "));
        finding.remedy = "fetch this file and the index again";
    }

    void addUnlisted(const TensorInfo& tensor) {
        if (std::binary_search(refused_.begin(), refused_.end(), tensor.name))
            return;
        const std::string& file = shardName(checkpoint_, tensor);
        Finding& finding = findings_.error(
            "tensor-not-in-index", index_.fileName,
            fmt::format("tensor {} is in {}, but not in the index", tensor.name, file));
        finding.tensor = tensor.name;
        finding.expected = "listed";
        finding.found = "only in " + file;
        finding.remedy = kRefetch;
    }

    void addRefused(const ShardIndex::Refused& refused) {
        const TensorInfo* real = checkpoint_.inventory.find(refused.tensor);
        const Checkpoint* holder = &checkpoint_;
        if (!real) {
            real = beside_.inventory.find(refused.tensor);
            holder = &beside_;
        }
        const std::string name = printable(refused.tensor);
        Finding& finding = findings_.error(
            "index-path", index_.fileName,
            fmt::format("{} puts tensor {} into '{}', which is not the name of a weight file in "
                        "the folder",
                        index_.fileName, name, refused.given));
        finding.tensor = name;
        finding.expected = "name of a file in the folder";
        if (real)
            finding.expected += ": " + shardName(*holder, *real);
        finding.found = refused.given == refused.problem
                            ? refused.problem
                            : fmt::format("{}: {}", refused.problem, refused.given);
        finding.remedy = kRefetch;
    }

    // Adds to the findings of a shard that could not be read what the model lacks without it.
    void explainLost(std::size_t shard) {
        const Shard& facts = checkpoint_.shards[shard];
        if (readings_[shard].cutHeaderEnd > 0)
            addCutHeader(findings_, facts, readings_[shard].cutHeaderEnd, bytesLeftFor(shard));
        const auto& names = lost_[shard];
        if (names.empty())
            return;
        bool named = false;
        findings_.each([&facts, &names, &named](Finding& finding) {
            if (finding.file != facts.fileName || finding.severity != Severity::Error)
                return;
            named = true;
            finding.message += "; affects " + affected(names);
            for (const std::string_view name : names) {
                constexpr std::size_t kExamples = 5;
                if (finding.examples.size() < kExamples)
                    finding.examples.push_back(printable(name));
            }
        });
        if (named)
            named_.insert(named_.end(), names.begin(), names.end());
    }

    // What total_size leaves for the data of this shard, if all others are read; else 0.
    std::int64_t bytesLeftFor(std::size_t shard) const {
        for (std::size_t i = 0; i < checkpoint_.shards.size(); ++i) {
            if (i != shard && checkpoint_.shards[i].dataOffset == 0)
                return 0;
        }
        return index_.totalBytes ? std::max<std::int64_t>(*index_.totalBytes - actualBytes_, 0) : 0;
    }

    void checkTotal() {
        if (!index_.totalBytes || *index_.totalBytes == actualBytes_)
            return;
        Finding& finding = findings_.warning(
            "index-total-size", index_.fileName,
            fmt::format("{} says total_size {}, the tensors have {} B", index_.fileName,
                        formatCount(*index_.totalBytes), formatCount(actualBytes_)));
        finding.key = "metadata.total_size";
        finding.expected = std::to_string(actualBytes_);
        finding.found = std::to_string(*index_.totalBytes);
    }

    const ShardIndex& index_;
    const Checkpoint& checkpoint_;
    const std::vector<ShardReading>& readings_;
    const Checkpoint& beside_;
    FindingList& findings_;
    std::int64_t actualBytes_;
    std::vector<std::vector<std::string_view>> lost_;  // by shard: tensors that were to be there
    std::vector<std::string_view> named_;              // of those, what a finding tells of
    std::vector<std::string> rejected_;
    std::vector<std::string> refused_;
};

}  // namespace

std::vector<std::string_view> checkIndex(const IndexEvidence& evidence, FindingList& findings) {
    return IndexCheck(evidence, findings).run();
}

}  // namespace fl::checkpoint
