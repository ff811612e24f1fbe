// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/sharded_reader.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/base/thread_pool.h"
#include "engine/checkpoint/index.h"
#include "engine/checkpoint/index_check.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/shard_file.h"

namespace fl::checkpoint {

namespace {

namespace fs = std::filesystem;

// Headers are read from storage that may be a network away, so more than there are cores to parse.
int threadsFor(std::size_t shards) {
    constexpr unsigned kMost = 8;
    const unsigned cores = std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
    return static_cast<int>(std::min<std::size_t>(cores, shards));
}

void addShards(Checkpoint& checkpoint, const std::vector<std::string>& fileNames) {
    for (const std::string& fileName : fileNames) {
        Shard& shard = checkpoint.shards.emplace_back();
        shard.fileName = fileName;
        shard.path = checkpoint.folder + "/" + fileName;
    }
}

// Reads every shard of the list. What they say is joined in their order, whoever was first.
std::vector<ShardReading> readShards(Checkpoint& checkpoint,
                                     FindingList& findings,
                                     ThreadPool& pool,
                                     const CancelToken& cancel) {
    struct Part {
        Inventory inventory;
        FindingList findings;
        ShardReading reading;
    };
    std::vector<Part> parts(checkpoint.shards.size());
    pool.parallelFor(static_cast<std::int64_t>(parts.size()), [&](std::int64_t i) {
        if (cancel.cancelled())
            return;
        Part& part = parts[static_cast<std::size_t>(i)];
        part.reading =
            readSafetensors(checkpoint.shards[static_cast<std::size_t>(i)],
                            static_cast<std::int32_t>(i), part.inventory, part.findings, cancel);
    });
    std::size_t tensors = 0;
    for (const Part& part : parts)
        tensors += part.inventory.size();
    checkpoint.inventory.reserve(tensors);
    std::vector<ShardReading> out;
    out.reserve(parts.size());
    for (Part& part : parts) {
        checkpoint.inventory.absorb(std::move(part.inventory));
        findings.absorb(std::move(part.findings));
        out.push_back(std::move(part.reading));
    }
    return out;
}

// A checkpoint of files that are read only to be compared.
Checkpoint readBeside(const std::string& folder,
                      const std::vector<std::string>& files,
                      ThreadPool& pool,
                      const CancelToken& cancel) {
    Checkpoint out;
    out.folder = folder;
    addShards(out, files);
    FindingList unwanted;
    readShards(out, unwanted, pool, cancel);
    out.inventory.finish(&pool);
    return out;
}

// Weight files that are there and are not part of the checkpoint.
void addUnused(Checkpoint& checkpoint, const Checkpoint& beside, FindingList& findings) {
    std::vector<std::int64_t> unknownOf(beside.shards.size(), 0);
    for (const TensorInfo& tensor : beside.inventory.tensors()) {
        if (!checkpoint.inventory.find(tensor.name))
            ++unknownOf[static_cast<std::size_t>(tensor.shard)];
    }
    for (std::size_t shard = 0; shard < beside.shards.size(); ++shard) {
        const std::string& file = beside.shards[shard].fileName;
        const std::int64_t unknown = unknownOf[shard];
        if (unknown == 0 && beside.shards[shard].dataOffset > 0)
            checkpoint.otherForms.push_back(file);
        Finding& finding = findings.warning(
            "file-unused", file,
            unknown > 0
                ? fmt::format("{} is not used: it holds {} tensors that the index does not "
                              "name",
                              file, formatCount(unknown))
                : fmt::format("{} is not used: what it holds is there in another form", file));
        finding.expected = unknown > 0 ? "no tensor outside the index" : "one form";
        finding.found = unknown > 0 ? fmt::format("{} tensors", unknown) : "sharded and unsharded";
        finding.remedy = "remove it, or open it by its own path";
    }
}

// Tensors of another type or shape in a second form of the model.
void compareForms(const Checkpoint& checkpoint, const Checkpoint& beside, FindingList& findings) {
    for (const TensorInfo& other : beside.inventory.tensors()) {
        const TensorInfo* used = checkpoint.inventory.find(other.name);
        if (!used || (used->dtype == other.dtype && used->shape == other.shape))
            continue;
        const std::string& file = beside.shards[static_cast<std::size_t>(other.shard)].fileName;
        Finding& finding =
            findings.error("forms-differ", file,
                           fmt::format("tensor {} is {} {} in {}, and another in the checkpoint",
                                       other.name, name(other.dtype), other.shape.text(), file));
        finding.tensor = other.name;
        finding.expected = fmt::format("{} {}", name(used->dtype), used->shape.text());
        finding.found = fmt::format("{} {}", name(other.dtype), other.shape.text());
        finding.remedy = "keep the form that belongs to this model and remove the other";
    }
}

// Sets `found` of missing files to what lies there under a name like theirs.
void explainMissing(const Checkpoint& checkpoint, const FolderFiles& files, FindingList& findings) {
    findings.each([&](Finding& finding) {
        if (finding.code != "shard-missing" || finding.found != "absent")
            return;
        const std::string other = lookAlike(files.names, finding.file);
        if (other.empty())
            return;
        std::error_code problem;
        const auto bytes = fs::file_size(checkpoint.folder + "/" + other, problem);
        const bool unfinished = !leftoverKind(other).empty();
        finding.expected = unfinished ? "complete file" : finding.file;
        finding.found =
            unfinished && !problem ? fmt::format("{} of {} bytes", other, bytes) : other;
        finding.message += fmt::format("; {} is there", other);
        finding.remedy = unfinished ? "let the download of this file finish"
                                    : fmt::format("rename or unpack {} to this name", other);
    });
}

void addAllMissing(const ShardIndex& index, FindingList& findings) {
    Finding& finding =
        findings.error("shard-missing", "*.safetensors",
                       fmt::format("none of the {} weight files that {} names is there",
                                   index.files.size(), index.fileName));
    finding.expected = fmt::format("{} files", index.files.size());
    finding.found = "0";
    finding.examples.assign(
        index.files.begin(),
        index.files.begin() + std::min<std::ptrdiff_t>(std::ssize(index.files), 5));
    finding.remedy = "fetch the weight files";
}

void addStale(const ShardIndex& index, std::size_t others, FindingList& findings) {
    Finding& finding = findings.error(
        "index-stale", index.fileName,
        fmt::format("{} names only files that are not there; {} other weight files are",
                    index.fileName, others));
    finding.expected = "files that exist";
    finding.found = index.files.front();
    finding.remedy = "fetch the index that belongs to these files";
}

bool noneExists(const std::string& folder, const std::vector<std::string>& files) {
    return std::all_of(files.begin(), files.end(), [&folder](const std::string& file) {
        return placeKind(folder + "/" + file) == "absent";
    });
}

std::vector<std::string> without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& taken) {
    std::vector<std::string> out;
    std::set_difference(names.begin(), names.end(), taken.begin(), taken.end(),
                        std::back_inserter(out));
    return out;
}

void addCutHeaders(const Checkpoint& checkpoint,
                   const std::vector<ShardReading>& readings,
                   FindingList& findings) {
    for (std::size_t shard = 0; shard < readings.size(); ++shard) {
        if (readings[shard].cutHeaderEnd > 0)
            addCutHeader(findings, checkpoint.shards[shard], readings[shard].cutHeaderEnd, 0);
    }
}

// The files of an index that is of no use are read all the same, so that their faults are listed.
void readWithoutIndex(Checkpoint& checkpoint,
                      const FolderFiles& files,
                      FindingList& findings,
                      const CancelToken& cancel) {
    ThreadPool pool(threadsFor(files.others.size()));
    addShards(checkpoint, files.others);
    addCutHeaders(checkpoint, readShards(checkpoint, findings, pool, cancel), findings);
    checkNumbers(files.others, {}, findings);
    if (!cancel.cancelled())
        finishInventory(checkpoint, findings, &pool);
}

}  // namespace

void finishInventory(Checkpoint& checkpoint, FindingList& findings, ThreadPool* pool) {
    const auto twice = checkpoint.inventory.finish(pool);
    for (const std::string_view tensor : twice) {
        const TensorInfo* const first = checkpoint.inventory.find(tensor);
        const auto& shards = checkpoint.shards;
        const std::string& one = shards[static_cast<std::size_t>(first->shard)].fileName;
        const std::string& other = shards[static_cast<std::size_t>((first + 1)->shard)].fileName;
        const bool same = first->shard == (first + 1)->shard;
        Finding& finding =
            findings.error("tensor-duplicate", other,
                           same ? fmt::format("tensor {} appears twice in {}", tensor, one)
                                : fmt::format("tensor {} is in {} and in {}", tensor, one, other));
        finding.tensor = tensor;
        finding.expected = same ? "once" : "only in " + one;
        finding.found = same ? "twice" : "also in " + other;
        finding.remedy = "fetch these files again";
    }
}

void readIndexed(Checkpoint& checkpoint,
                 const FolderFiles& files,
                 FindingList& findings,
                 const CancelToken& cancel) {
    const auto index = readIndex(checkpoint.folder, files.indexFile, findings, cancel);
    if (!index)
        return readWithoutIndex(checkpoint, files, findings, cancel);
    const auto others = without(files.others, index->files);
    const bool none = noneExists(checkpoint.folder, index->files);
    if (index->entries.empty() || (none && !others.empty())) {
        readWithoutIndex(checkpoint, files, findings, cancel);
        if (index->entries.empty())
            addMapFault(*index, checkpoint.inventory.size(), findings);
        else
            addStale(*index, others.size(), findings);
        return;
    }
    if (none)
        return addAllMissing(*index, findings);
    addShards(checkpoint, index->files);
    ThreadPool pool(threadsFor(index->files.size()));
    const auto readings = readShards(checkpoint, findings, pool, cancel);
    const Checkpoint beside = readBeside(checkpoint.folder, others, pool, cancel);
    if (cancel.cancelled())
        return;  // what was not read would be missed
    finishInventory(checkpoint, findings, &pool);
    checkpoint.inventory.setLost(checkIndex({*index, checkpoint, readings, beside}, findings));
    addUnused(checkpoint, beside, findings);
    compareForms(checkpoint, beside, findings);
    std::vector<std::string> there = files.others;
    there.insert(there.end(), index->files.begin(), index->files.end());
    checkNumbers(there, index->files, findings);
    explainMissing(checkpoint, files, findings);
}

void readUnindexed(Checkpoint& checkpoint,
                   const FolderFiles& files,
                   FindingList& findings,
                   const CancelToken& cancel) {
    if (files.files.size() > 1) {
        Finding& finding = findings.warning(
            "index-missing", "model.safetensors.index.json",
            fmt::format("{} has {} weight files and no index that says they are all",
                        checkpoint.folder, files.files.size()));
        finding.expected = "present";
        finding.found = "absent";
        finding.remedy = "fetch the index too";
        checkNumbers(files.files, {}, findings);
    }
    addShards(checkpoint, files.files);
    ThreadPool pool(threadsFor(files.files.size()));
    addCutHeaders(checkpoint, readShards(checkpoint, findings, pool, cancel), findings);
    const Checkpoint beside = readBeside(checkpoint.folder, files.others, pool, cancel);
    if (cancel.cancelled())
        return;
    finishInventory(checkpoint, findings, &pool);
    addUnused(checkpoint, beside, findings);
    compareForms(checkpoint, beside, findings);
    explainMissing(checkpoint, files, findings);
}

}  // namespace fl::checkpoint
