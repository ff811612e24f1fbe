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
#include "engine/checkpoint/sharded_reader.h"

namespace fl::checkpoint {

namespace {

namespace fs = std::filesystem;

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
    finishInventory(checkpoint, findings, nullptr);
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

// A folder without any weight file.
void addNothingThere(const Checkpoint& checkpoint,
                     const FolderFiles& files,
                     FindingList& findings) {
    const bool hasConfig =
        std::binary_search(files.names.begin(), files.names.end(), std::string("config.json"));
    Finding& finding = findings.error(
        "checkpoint-missing", hasConfig ? "*.safetensors" : "config.json",
        fmt::format("{} holds no checkpoint: {}no model.safetensors.index.json, no .safetensors "
                    "and no .gguf file",
                    checkpoint.folder, hasConfig ? "" : "no config.json, "));
    finding.expected = "present";
    finding.found = "absent";
    finding.remedy = "name the folder that holds the weight files, or fetch them";
}

// A single file may come without.
void readConfigs(Checkpoint& checkpoint, bool isFolder, FindingList& findings) {
    checkpoint.config = readConfig(checkpoint.folder, "config.json", isFolder, findings);
    checkpoint.generationConfig =
        readConfig(checkpoint.folder, "generation_config.json", false, findings);
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
    if (files.kind == FolderFiles::Kind::Safetensors && files.files.empty()) {
        addNothingThere(checkpoint, files, findings);
    } else {
        readFiles(checkpoint, files, findings, cancel);
        FL_DO(cancel.check("inspect"));
        checkLeftovers(files.names, findings);
        if (checkpoint.format == Format::Safetensors && files.kind != FolderFiles::Kind::Pickle)
            readConfigs(checkpoint, isFolder, findings);
    }
    checkpoint.findings = findings.take();
    return checkpoint;
}

}  // namespace fl::checkpoint
