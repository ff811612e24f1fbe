// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/shard_file.h"

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::checkpoint {

Finding& addOpenFault(FindingList& findings, std::string_view file, const Error& error) {
    if (error.code == ErrorCode::NotFound) {
        Finding& finding = findings.error("shard-missing", file, error.message);
        finding.expected = "present";
        finding.found = "absent";
        finding.remedy = "fetch this file";
        return finding;
    }
    if (error.code == ErrorCode::InvalidArgument) {
        Finding& finding = findings.error("not-a-file", file, error.message);
        finding.expected = "file";
        finding.remedy = "put the real file in its place";
        return finding;
    }
    Finding& finding = findings.error("file-unreadable", file, error.message);
    finding.expected = "readable";
    finding.remedy = "give yourself read permission (chmod u+r), or check the disk";
    return finding;
}

std::optional<MappedFile> openShard(Shard& shard, FindingList& findings) {
    auto file = MappedFile::open(shard.path);
    if (!file) {
        Finding& finding = addOpenFault(findings, shard.fileName, file.error());
        if (shard.tensorCount > 0) {
            finding.message +=
                fmt::format("; {} tensor{} missing with it", formatCount(shard.tensorCount),
                            shard.tensorCount == 1 ? " is" : "s are");
            shard.tensorCount = 0;
        }
        return std::nullopt;
    }
    shard.fileBytes = static_cast<std::int64_t>(file->bytes().size());
    return *std::move(file);
}

Finding& addTruncated(FindingList& findings, const Shard& shard, std::int64_t needed) {
    Finding& finding = findings.error(
        "shard-truncated", shard.fileName,
        fmt::format("shard {}: header needs {} B, file has {} B \u2013 {} B missing",
                    shard.fileName, formatCount(needed), formatCount(shard.fileBytes),
                    formatCount(needed - shard.fileBytes)));
    finding.expected = std::to_string(needed);
    finding.found = std::to_string(shard.fileBytes);
    finding.remedy = "fetch this file again";
    return finding;
}

void checkUnchanged(const MappedFile& file, const Shard& shard, FindingList& findings) {
    const Status intact = file.checkIntact();
    if (intact)
        return;
    Finding& finding = findings.error("file-changed", shard.fileName, intact.error().message);
    finding.remedy = "wait until the download has finished, then inspect again";
}

}  // namespace fl::checkpoint
