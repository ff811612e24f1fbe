// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/gguf_split.h"

#include <algorithm>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/checkpoint/gguf.h"

namespace fl::checkpoint {

namespace {

constexpr std::string_view kSuffix = ".gguf";
constexpr std::string_view kOf = "-of-";
constexpr std::size_t kDigits = 5;

// A key whose value must be this number.
void expectNumber(const Json& pairs,
                  std::string_view key,
                  std::int64_t expected,
                  const Shard& shard,
                  FindingList& findings) {
    const Json* const value = pairs.find(key);
    if (value && value->isInteger() && value->integer() == expected)
        return;
    const std::string found = !value               ? "absent"
                              : value->isInteger() ? std::to_string(value->integer())
                                                   : std::string(value->kindName());
    Finding& finding = findings.error("gguf-split", shard.fileName,
                                      fmt::format("{} of {} is {}, but must be {} for this part",
                                                  key, shard.fileName, found, expected));
    finding.key = key;
    finding.expected = std::to_string(expected);
    finding.found = found;
    finding.remedy = "fetch all parts of one and the same model";
}

void checkArchitecture(const Json& first,
                       const Json& pairs,
                       const Shard& shard,
                       FindingList& findings) {
    constexpr std::string_view kKey = "general.architecture";
    const Json* const value = pairs.find(kKey);
    if (!value || *value == first[kKey])
        return;
    Finding& finding =
        findings.error("gguf-split", shard.fileName,
                       fmt::format("{} is of architecture {}, the first part of {}", shard.fileName,
                                   value->string(), first[kKey].string()));
    finding.key = kKey;
    finding.expected = first[kKey].string();
    finding.found = value->string();
    finding.remedy = "fetch all parts of one and the same model";
}

// Block formats have changed before: quantised weights say by which version they are laid out.
void checkQuantisation(const Checkpoint& checkpoint, FindingList& findings) {
    constexpr std::string_view kKey = "general.quantization_version";
    constexpr std::int64_t kVersion = 2;  // GGML_QNT_VERSION
    const auto& tensors = checkpoint.inventory.tensors();
    const bool quantised = std::any_of(tensors.begin(), tensors.end(), [](const TensorInfo& each) {
        return isQuantised(each.dtype);
    });
    const Json* const value = checkpoint.metadata.find(kKey);
    if (!quantised || (value && value->integer(-1) == kVersion))
        return;
    const std::string& file = checkpoint.shards.front().fileName;
    const std::string what =
        fmt::format("{} of {} is {}", kKey, file, value ? "another one" : "missing");
    Finding& finding = value ? findings.error("gguf-quantisation", file, what)
                             : findings.warning("gguf-quantisation", file, what);
    finding.key = kKey;
    finding.expected =
        value ? std::to_string(kVersion) : "present, because tensors are quantised (2)";
    finding.found = value ? (value->isInteger() ? std::to_string(value->integer())
                                                : std::string(value->kindName()))
                          : "absent";
    finding.remedy = "convert the model again with a current converter";
}

// Every file of a model that says it is one must be named by its number in it.
void checkWhole(const Json& pairs, const Shard& shard, FindingList& findings) {
    const std::int64_t count = pairs["split.count"].integer(1);
    if (count <= 1)
        return;
    Finding& finding =
        findings.error("gguf-split", shard.fileName,
                       fmt::format("{} is part {} of {}, but its name does not say so",
                                   shard.fileName, pairs["split.no"].integer() + 1, count));
    finding.key = "split.count";
    finding.expected = fmt::format("a name ending in -00001-of-{:05}.gguf", count);
    finding.found = shard.fileName;
    finding.remedy = "give the parts back their names";
}

}  // namespace

std::optional<SplitName> parseSplitName(std::string_view fileName) {
    if (!fileName.ends_with(kSuffix))
        return std::nullopt;
    fileName.remove_suffix(kSuffix.size());
    constexpr std::size_t kTail = 1 + kDigits + kOf.size() + kDigits;
    if (fileName.size() <= kTail)
        return std::nullopt;
    const std::string_view tail = fileName.substr(fileName.size() - kTail);
    const auto number = parseInteger(tail.substr(1, kDigits));
    const auto count = parseInteger(tail.substr(kTail - kDigits));
    if (tail[0] != '-' || tail.substr(1 + kDigits, kOf.size()) != kOf || !number || !count ||
        *number < 1 || *number > *count)
        return std::nullopt;
    return SplitName{std::string(fileName.substr(0, fileName.size() - kTail)),
                     static_cast<int>(*number), static_cast<int>(*count)};
}

std::string splitFileName(const SplitName& part) {
    return fmt::format("{}-{:05}-of-{:05}.gguf", part.prefix, part.number, part.count);
}

void readGgufFiles(Checkpoint& checkpoint,
                   const std::vector<std::string>& fileNames,
                   FindingList& findings,
                   const CancelToken& cancel) {
    const auto count = static_cast<std::int64_t>(fileNames.size());
    for (const std::string& fileName : fileNames) {
        if (cancel.cancelled())
            return;
        const auto index = static_cast<std::int32_t>(checkpoint.shards.size());
        Shard& shard = checkpoint.shards.emplace_back();
        shard.fileName = fileName;
        shard.path = checkpoint.folder + "/" + fileName;
        Json pairs = readGguf(shard, index, checkpoint.inventory, findings, cancel);
        if (shard.dataOffset > 0 && count > 1) {
            expectNumber(pairs, "split.no", index, shard, findings);
            expectNumber(pairs, "split.count", count, shard, findings);
            if (index > 0)
                checkArchitecture(checkpoint.metadata, pairs, shard, findings);
        } else if (shard.dataOffset > 0) {
            checkWhole(pairs, shard, findings);
        }
        if (index == 0)
            checkpoint.metadata = std::move(pairs);
    }
    checkQuantisation(checkpoint, findings);
    bool allRead = true;
    for (const Shard& shard : checkpoint.shards)
        allRead = allRead && shard.dataOffset > 0;
    const Json* const total = checkpoint.metadata.find("split.tensors.count");
    if (total && allRead) {
        expectNumber(checkpoint.metadata, "split.tensors.count",
                     static_cast<std::int64_t>(checkpoint.inventory.size()),
                     checkpoint.shards.front(), findings);
    }
}

}  // namespace fl::checkpoint
