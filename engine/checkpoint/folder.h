// SPDX-License-Identifier: Apache-2.0
// Which files of a folder make up the checkpoint.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/finding_list.h"

namespace fl::checkpoint {

struct FolderFiles {
    enum class Kind : std::uint8_t {
        Index,        // indexFile says which files
        Safetensors,  // `files`
        Gguf,         // `files`: one, or all parts of a split in order
        Pickle,       // `files`: recognised, never read
    };
    Kind kind = Kind::Safetensors;
    std::string indexFile;
    std::vector<std::string> files;
    // Weight files beside the chosen ones.
    std::vector<std::string> others;
    std::vector<Finding> notes;  // about the choice
    // Everything that lies in the folder, sorted; empty for a single file.
    std::vector<std::string> names;
};

// In this order: an index, model.safetensors, other .safetensors files (consolidated ones last), a
// .gguf or its parts, pickled weights. Without any of these `files` is empty; InvalidArgument if
// there are several GGUF models.
Result<FolderFiles> lookThrough(const std::string& folder);

// All parts of the split model that `fileName` is a part of, or itself.
std::vector<std::string> ggufParts(const std::string& fileName);

// Numbers missing between model-00001-of-00003.safetensors and its siblings become shard-missing,
// but for those that are `listed` elsewhere. Both lists are sorted.
void checkNumbers(const std::vector<std::string>& files,
                  const std::vector<std::string>& listed,
                  FindingList& findings);

// What lies in the folder that may be the missing `file` under another name: another case, an
// archive, an unfinished download. "" if nothing does.
std::string lookAlike(const std::vector<std::string>& names, const std::string& file);

// What a downloader leaves behind ("control file of a downloader"), or "".
std::string_view leftoverKind(std::string_view fileName);

// download-leftover for unfinished downloads of weights, but for those that a missing file
// explains.
void checkLeftovers(const std::vector<std::string>& names, FindingList& findings);

bool isPickleName(std::string_view fileName);

}  // namespace fl::checkpoint
