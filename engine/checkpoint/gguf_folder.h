// SPDX-License-Identifier: Apache-2.0
// Which GGUF files of a folder are the model.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/folder.h"

namespace fl::checkpoint {

// One file, all parts of one split, the split where the same model lies there whole too, or files
// that say they are the parts of one model though their names do not; the last two with a note.
// InvalidArgument if there are several models.
Result<FolderFiles> chosenGguf(const std::string& folder, const std::vector<std::string>& names);

}  // namespace fl::checkpoint
