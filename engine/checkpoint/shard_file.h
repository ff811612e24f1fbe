// SPDX-License-Identifier: Apache-2.0
// Opening one weight file, and the findings that both formats share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/file_reader.h"
#include "engine/base/mapped_file.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/finding_list.h"

namespace fl::checkpoint {

// Maps the shard and fills in its size; nothing, with a finding, if it is absent, no file, or not
// readable.
std::optional<MappedFile> openShard(Shard& shard, FindingList& findings);
// The same for reading by position.
std::optional<FileReader> openShardFile(Shard& shard, FindingList& findings);

// What lies at a path: "absent", "link to nothing", "symbolic link loop", "directory", "named pipe
// (never opened)", "socket", "device", "file".
std::string placeKind(const std::string& path);

// The finding for a file that could not be opened or read.
Finding& addOpenFault(FindingList& findings,
                      std::string_view file,
                      const std::string& path,
                      const Error& error);

// shard-truncated: "header needs 141,112 B, file has 100,000 B – 41,112 B missing".
Finding& addTruncated(FindingList& findings, const Shard& shard, std::int64_t needed);

// One finding if the file is not as long any more as when it was opened, or another one has taken
// its place; nothing read from it is to be believed then.
void checkUnchanged(const MappedFile& file, const Shard& shard, FindingList& findings);
void checkUnchanged(const FileReader& file, const Shard& shard, FindingList& findings);

}  // namespace fl::checkpoint
