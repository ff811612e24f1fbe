// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/folder.h"

#include <algorithm>
#include <array>
#include <cctype>
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
    std::vector<std::string> all;
};

Result<Names> namesIn(const std::string& folder) {
    std::error_code problem;
    Names names;
    std::filesystem::directory_iterator entry(folder, problem);
    for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
        const std::string name = entry->path().filename().string();
        names.all.push_back(name);
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
    for (auto* list :
         {&names.indexes, &names.safetensors, &names.ggufs, &names.pickles, &names.all})
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
    FolderFiles out;
    if (!names.indexes.empty()) {
        out.kind = FolderFiles::Kind::Index;
        out.indexFile =
            contains(names.indexes, kUsualIndex) ? std::string(kUsualIndex) : names.indexes.front();
        out.others = std::move(names.safetensors);
    } else if (!names.safetensors.empty()) {
        out = chosenSafetensors(std::move(names.safetensors));
    } else if (!names.ggufs.empty()) {
        FL_TRY(out, chosenGguf(folder, names.ggufs));
    } else if (!names.pickles.empty()) {
        out.kind = FolderFiles::Kind::Pickle;
        out.files = std::move(names.pickles);
    }
    out.names = std::move(names.all);
    return out;
}

void checkNumbers(const std::vector<std::string>& files,
                  const std::vector<std::string>& listed,
                  FindingList& findings) {
    std::map<std::pair<std::string, std::string>, std::set<std::int64_t>> sets;
    for (const std::string& file : files) {
        if (const auto parts = numbered(file))
            sets[{parts->prefix, parts->count}].insert(*parseInteger(parts->number));
    }
    for (const auto& [key, present] : sets) {
        const std::int64_t count = *parseInteger(key.second);
        // Some number from 0, as in 00000-of-00002 for three files.
        const std::int64_t first = present.contains(0) ? 0 : 1;
        constexpr std::int64_t kMostShards = 200'000;
        for (std::int64_t i = first; i <= std::min(count, kMostShards); ++i) {
            const std::string file = fmt::format("{}-{:0{}}-of-{}.safetensors", key.first, i,
                                                 key.second.size(), key.second);
            if (present.contains(i) || std::binary_search(listed.begin(), listed.end(), file))
                continue;
            Finding& finding = findings.error(
                "shard-missing", file,
                fmt::format("{} is absent, though its siblings count {} files", file, count));
            finding.expected = fmt::format("{} files", count + (first == 0 ? 1 : 0));
            finding.found = std::to_string(present.size());
            finding.remedy = "fetch this file";
        }
    }
}

std::string lookAlike(const std::vector<std::string>& names, const std::string& file) {
    const auto sameLetter = [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    };
    for (const std::string& name : names) {
        const bool otherCase = name != file && std::equal(name.begin(), name.end(), file.begin(),
                                                          file.end(), sameLetter);
        if (otherCase || (name.starts_with(file) && name.size() > file.size()))
            return name;
    }
    return {};
}

std::string_view leftoverKind(std::string_view fileName) {
    // aria2, huggingface_hub, browsers, wget and curl scripts, rsync.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSuffixes = {
        {{".aria2", "control file of a downloader"},
         {".incomplete", "unfinished download"},
         {".crdownload", "unfinished download"},
         {".part", "unfinished download"},
         {".partial", "unfinished download"},
         {".download", "unfinished download"},
         {".tmp", "temporary file of a download"}}};
    for (const auto& [suffix, kind] : kSuffixes) {
        if (!fileName.ends_with(suffix))
            continue;
        const bool weights = fileName.find(".safetensors") != std::string_view::npos ||
                             fileName.find(".gguf") != std::string_view::npos;
        return weights ? kind : std::string_view();
    }
    return {};
}

void checkLeftovers(const std::vector<std::string>& names, FindingList& findings) {
    for (const std::string& name : names) {
        const std::string_view kind = leftoverKind(name);
        // Of a file that is absent there is an error already.
        const std::string whole = name.substr(0, name.rfind('.'));
        if (kind.empty() || !std::binary_search(names.begin(), names.end(), whole))
            continue;
        Finding& finding =
            findings.warning("download-leftover", name,
                             fmt::format("{} says that a download has not finished", name));
        finding.expected = "no leftovers";
        finding.found = kind;
        finding.remedy = "let the download finish, or remove this file if it has";
    }
}

}  // namespace fl::checkpoint
