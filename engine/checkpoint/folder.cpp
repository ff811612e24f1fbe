// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/checkpoint/gguf_folder.h"
#include "engine/checkpoint/gguf_split.h"

namespace fl::checkpoint {

namespace {

constexpr std::string_view kIndexSuffix = ".safetensors.index.json";
constexpr std::string_view kUsualIndex = "model.safetensors.index.json";
constexpr std::string_view kUsualFile = "model.safetensors";

struct Names {
    std::vector<std::string> indexes;
    std::vector<std::string> safetensors;
    std::vector<std::string> ggufs;
    std::vector<std::string> pickles;
};

Result<Names> namesIn(const std::string& folder) {
    std::error_code problem;
    Names names;
    std::filesystem::directory_iterator entry(folder, problem);
    for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
        const std::string name = entry->path().filename().string();
        if (name.ends_with(kIndexSuffix))
            names.indexes.push_back(name);
        else if (name.ends_with(".safetensors"))
            names.safetensors.push_back(name);
        else if (name.ends_with(".gguf"))
            names.ggufs.push_back(name);
        else if (isPickleName(name))
            names.pickles.push_back(name);
    }
    if (problem)
        return Error{ErrorCode::Io, fmt::format("cannot list {}: {}", folder, problem.message())};
    for (auto* list : {&names.indexes, &names.safetensors, &names.ggufs, &names.pickles})
        std::sort(list->begin(), list->end());
    return names;
}

bool contains(const std::vector<std::string>& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

// Moves the names that a test holds for to the front of a new list, and returns both parts.
FolderFiles chosenSafetensors(std::vector<std::string> names) {
    FolderFiles out;
    if (contains(names, kUsualFile)) {
        out.files = {std::string(kUsualFile)};
        std::erase(names, kUsualFile);
        out.others = std::move(names);
        return out;
    }
    const auto consolidated = std::stable_partition(
        names.begin(), names.end(),
        [](const std::string& name) { return !name.starts_with("consolidated"); });
    const bool onlyConsolidated = consolidated == names.begin();
    const auto end = onlyConsolidated ? names.end() : consolidated;
    out.files.assign(names.begin(), end);
    out.others.assign(end, names.end());
    return out;
}

// The number and the count of "…-00002-of-00003.safetensors".
struct Numbered {
    std::string prefix;
    std::string number;
    std::string count;
};

std::optional<Numbered> numbered(std::string_view file) {
    file.remove_suffix(std::min(file.size(), std::string_view(".safetensors").size()));
    const auto of = file.rfind("-of-");
    if (of == std::string_view::npos)
        return std::nullopt;
    const auto dash = file.rfind('-', of - 1);
    if (of == 0 || dash == std::string_view::npos)
        return std::nullopt;
    Numbered out{std::string(file.substr(0, dash)),
                 std::string(file.substr(dash + 1, of - dash - 1)),
                 std::string(file.substr(of + 4))};
    return parseInteger(out.number) && parseInteger(out.count) ? std::optional(out) : std::nullopt;
}

}  // namespace

bool isPickleName(std::string_view fileName) {
    constexpr std::array<std::string_view, 4> kSuffixes = {".bin", ".pt", ".pth", ".ckpt"};
    return std::any_of(kSuffixes.begin(), kSuffixes.end(),
                       [fileName](std::string_view suffix) { return fileName.ends_with(suffix); });
}

std::vector<std::string> ggufParts(const std::string& fileName) {
    auto part = parseSplitName(fileName);
    if (!part)
        return {fileName};
    std::vector<std::string> out;
    for (part->number = 1; part->number <= part->count; ++part->number)
        out.push_back(splitFileName(*part));
    return out;
}

Result<FolderFiles> lookThrough(const std::string& folder) {
    FL_TRY(Names names, namesIn(folder));
    if (!names.indexes.empty()) {
        FolderFiles out;
        out.kind = FolderFiles::Kind::Index;
        out.indexFile =
            contains(names.indexes, kUsualIndex) ? std::string(kUsualIndex) : names.indexes.front();
        out.others = std::move(names.safetensors);
        return out;
    }
    if (!names.safetensors.empty())
        return chosenSafetensors(std::move(names.safetensors));
    if (!names.ggufs.empty())
        return chosenGguf(folder, names.ggufs);
    if (!names.pickles.empty()) {
        FolderFiles out;
        out.kind = FolderFiles::Kind::Pickle;
        out.files = std::move(names.pickles);
        return out;
    }
    return Error{ErrorCode::NotFound,
                 fmt::format("{} holds no checkpoint: no model.safetensors.index.json, no "
                             ".safetensors and no .gguf file",
                             folder)};
}

void checkNumbers(const std::vector<std::string>& files, FindingList& findings) {
    std::map<std::pair<std::string, std::string>, std::set<std::int64_t>> sets;
    for (const std::string& file : files) {
        if (const auto parts = numbered(file))
            sets[{parts->prefix, parts->count}].insert(*parseInteger(parts->number));
    }
    for (const auto& [key, present] : sets) {
        const std::int64_t count = *parseInteger(key.second);
        // Some number from 0, as in 00000-of-00002 for three files.
        const std::int64_t first = present.contains(0) ? 0 : 1;
        constexpr std::int64_t kMostShards = 10'000;
        for (std::int64_t i = first; i <= std::min(count, kMostShards); ++i) {
            if (present.contains(i))
                continue;
            const std::string file = fmt::format("{}-{:0{}}-of-{}.safetensors", key.first, i,
                                                 key.second.size(), key.second);
            Finding& finding = findings.error(
                "shard-missing", file,
                fmt::format("{} is absent, though its siblings count {} files", file, count));
            finding.expected = "present";
            finding.found = "absent";
            finding.remedy = "fetch this file";
        }
    }
}

}  // namespace fl::checkpoint
