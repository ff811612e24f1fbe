// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include <fmt/core.h>

#include "engine/base/checked.h"
#include "engine/base/json_text.h"
#include "engine/base/mapped_file.h"
#include "engine/base/text.h"
#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/folder.h"
#include "engine/checkpoint/gguf_split.h"
#include "engine/checkpoint/index.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/shard_file.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

namespace fs = std::filesystem;

void addShards(Checkpoint& checkpoint, const std::vector<std::string>& fileNames) {
    for (const std::string& fileName : fileNames) {
        Shard& shard = checkpoint.shards.emplace_back();
        shard.fileName = fileName;
        shard.path = checkpoint.folder + "/" + fileName;
    }
}

// Returns the names of tensors that have a finding instead of a place in the inventory.
std::vector<std::string> readShards(Checkpoint& checkpoint,
                                    FindingList& findings,
                                    const CancelToken& cancel) {
    std::vector<std::string> rejected;
    for (std::size_t i = 0; i < checkpoint.shards.size() && !cancel.cancelled(); ++i) {
        auto names = readSafetensors(checkpoint.shards[i], static_cast<std::int32_t>(i),
                                     checkpoint.inventory, findings, cancel);
        rejected.insert(rejected.end(), std::make_move_iterator(names.begin()),
                        std::make_move_iterator(names.end()));
    }
    std::sort(rejected.begin(), rejected.end());
    return rejected;
}

void finishInventory(Checkpoint& checkpoint, FindingList& findings) {
    for (const std::string_view twice : checkpoint.inventory.finish()) {
        const TensorInfo* const first = checkpoint.inventory.find(twice);
        const auto& shards = checkpoint.shards;
        const std::string& one = shards[static_cast<std::size_t>(first->shard)].fileName;
        const std::string& other = shards[static_cast<std::size_t>((first + 1)->shard)].fileName;
        Finding& finding = findings.error(
            "tensor-duplicate", other,
            one == other ? fmt::format("tensor {} appears twice in {}", twice, one)
                         : fmt::format("tensor {} is in {} and in {}", twice, one, other));
        finding.tensor = twice;
        finding.expected = one == other ? "once" : "only in " + one;
        finding.found = one == other ? "twice" : "also in " + other;
        finding.remedy = "fetch these files again";
    }
}

void addOthers(const FolderFiles& files, const ShardIndex* index, FindingList& findings) {
    for (const std::string& other : files.others) {
        if (index && std::binary_search(index->files.begin(), index->files.end(), other))
            continue;
        const std::string chosen = index ? index->fileName : files.files.front();
        Finding& finding = findings.warning(
            "file-unused", other,
            fmt::format("{} is not used: {} is the checkpoint of this folder", other, chosen));
        finding.expected = "one form";
        finding.found = "two";
        finding.remedy = "remove it, or open it by its own path";
    }
}

void readIndexed(Checkpoint& checkpoint,
                 const FolderFiles& files,
                 FindingList& findings,
                 const CancelToken& cancel) {
    const auto index = readIndex(checkpoint.folder, files.indexFile, findings, cancel);
    if (!index) {
        // What lies there is read all the same, so that its faults are listed too.
        addShards(checkpoint, files.others);
        readShards(checkpoint, findings, cancel);
        finishInventory(checkpoint, findings);
        return;
    }
    addShards(checkpoint, index->files);
    for (const ShardIndex::Entry& entry : index->entries)
        ++checkpoint.shards[static_cast<std::size_t>(entry.file)].tensorCount;
    checkpoint.inventory.reserve(index->entries.size());
    const auto rejected = readShards(checkpoint, findings, cancel);
    if (cancel.cancelled())
        return;  // what was not read would be missed
    finishInventory(checkpoint, findings);
    checkIndex(*index, checkpoint, rejected, findings);
    addOthers(files, &*index, findings);
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
        checkNumbers(files.files, findings);
    }
    addShards(checkpoint, files.files);
    readShards(checkpoint, findings, cancel);
    finishInventory(checkpoint, findings);
    addOthers(files, nullptr, findings);
}

void refusePickle(const std::vector<std::string>& files, FindingList& findings) {
    for (const std::string& file : files) {
        Finding& finding = findings.error(
            "pickle-refused", file,
            fmt::format("{} holds pickled weights, and reading a pickle can run any code that its "
                        "author put into it",
                        file));
        finding.expected = "*.safetensors or *.gguf";
        finding.found = "pickle (never loaded)";
        finding.remedy = "fetch the .safetensors files of this model, or convert it to them";
    }
}

void readGgufModel(Checkpoint& checkpoint,
                   const std::vector<std::string>& fileNames,
                   FindingList& findings,
                   const CancelToken& cancel) {
    checkpoint.format = Format::Gguf;
    readGgufFiles(checkpoint, fileNames, findings, cancel);
    finishInventory(checkpoint, findings);
    constexpr std::string_view kKey = "general.architecture";
    const Json& architecture = checkpoint.metadata[kKey];
    if (checkpoint.shards.front().dataOffset == 0 || !architecture.string().empty())
        return;
    Finding& finding = findings.error("gguf-architecture", checkpoint.shards.front().fileName,
                                      fmt::format("{} does not say which architecture it is of",
                                                  checkpoint.shards.front().fileName));
    finding.key = kKey;
    finding.expected = "a text";
    finding.found = checkpoint.metadata.find(kKey) ? architecture.kindName() : "absent";
    finding.remedy = "convert the model again with a current converter";
}

// A JSON object beside the weights; null, with a finding unless it is absent and may be.
Json readConfig(const std::string& folder,
                const std::string& fileName,
                bool required,
                FindingList& findings) {
    JsonText text = readJsonText(folder, fileName, "config-json");
    for (Finding& finding : text.findings)
        findings.add(std::move(finding));
    if (text.absent && required) {
        Finding& finding =
            findings.error("config-missing", fileName, fmt::format("there is no {}", fileName));
        finding.expected = "present";
        finding.found = "absent";
        finding.remedy = "fetch this file";
    }
    return text.value ? *std::move(text.value) : Json();
}

FileKind kindOf(const std::string& path) {
    const auto file = MappedFile::open(path);
    return file ? fileKind(file->bytes()) : FileKind::Unknown;
}

// What a single named file is to be read as.
Result<FolderFiles> singleFile(const fs::path& path) {
    FolderFiles out;
    const std::string name = path.filename().string();
    const FileKind kind = kindOf(path.string());
    out.files = {name};
    if (name.ends_with(".safetensors.index.json")) {
        out.kind = FolderFiles::Kind::Index;
        out.indexFile = name;
    } else if (name.ends_with(".gguf") ||
               (kind == FileKind::Gguf && !name.ends_with(".safetensors"))) {
        out.kind = FolderFiles::Kind::Gguf;
        out.files = ggufParts(name);
    } else if (isPickleName(name) && kind != FileKind::Safetensors) {
        out.kind = FolderFiles::Kind::Pickle;
    } else if (!name.ends_with(".safetensors") && kind != FileKind::Safetensors) {
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("{} is {}, no checkpoint: neither a safetensors nor a GGUF file",
                                 path.string(), fl::checkpoint::name(kind))};
    }
    return out;
}

void readFiles(Checkpoint& checkpoint,
               const FolderFiles& files,
               FindingList& findings,
               const CancelToken& cancel) {
    switch (files.kind) {
        case FolderFiles::Kind::Index:
            return readIndexed(checkpoint, files, findings, cancel);
        case FolderFiles::Kind::Safetensors:
            return readUnindexed(checkpoint, files, findings, cancel);
        case FolderFiles::Kind::Gguf:
            return readGgufModel(checkpoint, files.files, findings, cancel);
        case FolderFiles::Kind::Pickle:
            return refusePickle(files.files, findings);
    }
}

}  // namespace

std::int64_t Checkpoint::fileBytes() const {
    std::int64_t sum = 0;
    for (const Shard& shard : shards)
        sum += shard.fileBytes;
    return sum;
}

std::int64_t Checkpoint::tensorBytes() const {
    std::int64_t sum = 0;
    // Tensors of a wrong header may claim anything.
    for (const TensorInfo& tensor : inventory.tensors())
        sum = checkedAdd(sum, tensor.bytes).value_or(std::numeric_limits<std::int64_t>::max());
    return sum;
}

Result<Checkpoint> openCheckpoint(const std::string& path, const CancelToken& cancel) {
    std::error_code problem;
    const fs::path absolute = fs::absolute(path, problem).lexically_normal();
    const fs::file_status status = fs::status(absolute, problem);
    if (!fs::exists(status))
        return Error{ErrorCode::NotFound, fmt::format("there is nothing at {}", path)};
    const bool isFolder = fs::is_directory(status);
    if (!isFolder && !fs::is_regular_file(status)) {
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("{} is neither a folder nor a file", path)};
    }
    Checkpoint checkpoint;
    checkpoint.path = absolute.string();
    if (isFolder && absolute.has_relative_path() && absolute.filename().empty())
        checkpoint.path.pop_back();  // a trailing slash
    checkpoint.folder = isFolder ? checkpoint.path : absolute.parent_path().string();
    FL_TRY(const FolderFiles files,
           isFolder ? lookThrough(checkpoint.folder) : singleFile(absolute));
    FindingList findings;
    for (const Finding& note : files.notes)
        findings.add(note);
    readFiles(checkpoint, files, findings, cancel);
    FL_DO(cancel.check("inspect"));
    if (checkpoint.format == Format::Safetensors && files.kind != FolderFiles::Kind::Pickle) {
        checkpoint.config = readConfig(checkpoint.folder, "config.json", isFolder, findings);
        checkpoint.generationConfig =
            readConfig(checkpoint.folder, "generation_config.json", false, findings);
    }
    checkpoint.findings = findings.take();
    return checkpoint;
}

}  // namespace fl::checkpoint
