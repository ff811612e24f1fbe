// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/gguf_folder.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/checkpoint/gguf.h"
#include "engine/checkpoint/gguf_split.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

Finding note(const std::string& file,
             std::string message,
             std::string expected,
             std::string found) {
    Finding finding;
    finding.code = "file-unused";
    finding.severity = Severity::Warning;
    finding.stage = "inspect";
    finding.file = file;
    finding.message = std::move(message);
    finding.expected = std::move(expected);
    finding.found = std::move(found);
    finding.remedy = "remove it, or open it by its own path";
    return finding;
}

// "tiny.gguf" beside "tiny-00001-of-00003.gguf".
bool takeSplit(const std::vector<std::string>& models, FolderFiles& out) {
    if (models.size() != 2)
        return false;
    for (const std::string& first : models) {
        const auto part = parseSplitName(first);
        const std::string& whole = &first == &models[0] ? models[1] : models[0];
        if (!part || whole != part->prefix + ".gguf")
            continue;
        out.files = ggufParts(first);
        out.notes.push_back(
            note(whole,
                 fmt::format("{} is not used: the same model lies there in {} parts", whole,
                             part->count),
                 "one form", "split and whole"));
        return true;
    }
    return false;
}

// Files that number themselves from 0 to their count.
bool takeNumbered(const std::string& folder,
                  const std::vector<std::string>& names,
                  FolderFiles& out) {
    std::map<std::int64_t, std::string> byNumber;
    std::string model;
    for (const std::string& name : names) {
        const Json pairs = readGgufPairs(folder + "/" + name);
        if (pairs["split.count"].integer() != std::ssize(names))
            return false;
        byNumber[pairs["split.no"].integer(-1)] = name;
        if (model.empty())
            model = printable(pairs["general.name"].string());
    }
    if (byNumber.size() != names.size() || byNumber.begin()->first != 0 ||
        byNumber.rbegin()->first != std::ssize(names) - 1)
        return false;
    for (const auto& [number, name] : byNumber)
        out.files.push_back(name);
    const std::string& first = out.files.front();
    Finding unnamed = note(
        first, fmt::format("{} is part 1 of {}, but its name does not say so", first, names.size()),
        fmt::format("{}-00001-of-{:05}.gguf", model.empty() ? "a name ending in " : model,
                    names.size()),
        first);
    unnamed.code = "gguf-split";
    unnamed.remedy = "give the parts back their names";
    out.notes.push_back(std::move(unnamed));
    return true;
}

}  // namespace

Result<FolderFiles> chosenGguf(const std::string& folder, const std::vector<std::string>& names) {
    std::set<std::string> firsts;
    for (const std::string& name : names)
        firsts.insert(ggufParts(name).front());
    const std::vector<std::string> models(firsts.begin(), firsts.end());
    FolderFiles out;
    out.kind = FolderFiles::Kind::Gguf;
    if (models.size() == 1) {
        out.files = ggufParts(names.front());
        return out;
    }
    const bool plain = std::none_of(names.begin(), names.end(), [](const std::string& name) {
        return parseSplitName(name).has_value();
    });
    if (takeSplit(models, out) || (plain && takeNumbered(folder, names, out)))
        return out;
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{} holds {} GGUF models, name one of them: {}", folder, models.size(),
                             join(models, ", "))};
}

}  // namespace fl::checkpoint
