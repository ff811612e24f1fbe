// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/shard_file.h"

#include <cerrno>

#include <fmt/core.h>
#include <sys/stat.h>

#include "engine/base/text.h"

namespace fl::checkpoint {

namespace {

constexpr std::string_view kWait = "wait until the download has finished, then inspect again";

// Nobody may read the file. Only root gets further, and ranks may run as somebody else.
bool closedToAll(const std::string& path) {
    struct stat facts {};
    constexpr mode_t kReadable = S_IRUSR | S_IRGRP | S_IROTH;
    return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
           (facts.st_mode & kReadable) == 0;
}

template <class File>
std::optional<File> opened(Shard& shard, FindingList& findings) {
    auto file = closedToAll(shard.path)
                    ? Result<File>(Error{ErrorCode::Io, fmt::format("cannot open {}: permission "
                                                                    "denied",
                                                                    shard.path)})
                    : File::open(shard.path);
    if (!file) {
        addOpenFault(findings, shard.fileName, shard.path, file.error());
        return std::nullopt;
    }
    return *std::move(file);
}

void addChanged(FindingList& findings,
                const Shard& shard,
                std::string message,
                std::string_view expected,
                std::string_view found) {
    Finding& finding = findings.error("file-changed", shard.fileName, std::move(message));
    finding.expected = expected;
    finding.found = found;
    finding.remedy = kWait;
}

}  // namespace

std::string placeKind(const std::string& path) {
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0)
        return "absent";
    const bool link = S_ISLNK(facts.st_mode);
    if (link && ::stat(path.c_str(), &facts) != 0)
        return errno == ELOOP ? "symbolic link loop" : "link to nothing";
    if (S_ISDIR(facts.st_mode))
        return "directory";
    if (S_ISFIFO(facts.st_mode))
        return "named pipe (never opened)";
    if (S_ISSOCK(facts.st_mode))
        return "socket";
    if (S_ISCHR(facts.st_mode))
        return "character device";
    return S_ISREG(facts.st_mode) ? "file" : "block device";
}

Finding& addOpenFault(FindingList& findings,
                      std::string_view file,
                      const std::string& path,
                      const Error& error) {
    const std::string kind = placeKind(path);
    if (error.code == ErrorCode::NotFound) {
        Finding& finding = findings.error("shard-missing", file, error.message);
        finding.expected = kind == "absent" ? "present" : "file";
        finding.found = kind;
        finding.remedy = "fetch this file";
        return finding;
    }
    if (error.code == ErrorCode::InvalidArgument) {
        Finding& finding = findings.error("not-a-file", file, error.message);
        finding.expected = "file";
        finding.found = kind;
        finding.remedy = "put the real file in its place";
        return finding;
    }
    Finding& finding = findings.error("file-unreadable", file, error.message);
    finding.expected = "readable";
    const auto reason = error.message.rfind(": ");
    finding.found = reason == std::string::npos ? error.message : error.message.substr(reason + 2);
    finding.remedy = "give yourself read permission (chmod u+r), or check the disk";
    return finding;
}

std::optional<MappedFile> openShard(Shard& shard, FindingList& findings) {
    auto file = opened<MappedFile>(shard, findings);
    if (file)
        shard.fileBytes = static_cast<std::int64_t>(file->bytes().size());
    return file;
}

std::optional<FileReader> openShardFile(Shard& shard, FindingList& findings) {
    auto file = opened<FileReader>(shard, findings);
    if (file)
        shard.fileBytes = file->bytes();
    return file;
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
    if (const Status intact = file.checkIntact(); !intact)
        addChanged(findings, shard, intact.error().message, "unchanged", "shorter");
}

void checkUnchanged(const FileReader& file, const Shard& shard, FindingList& findings) {
    struct stat held {};
    struct stat there {};
    if (::fstat(file.fd(), &held) != 0 || ::stat(shard.path.c_str(), &there) != 0) {
        addChanged(findings, shard, fmt::format("{} went away while it was read", shard.fileName),
                   "unchanged", "absent");
    } else if (held.st_size != file.bytes()) {
        addChanged(
            findings, shard,
            fmt::format("{} had {} B and now has {} B: it changed while it was read",
                        shard.fileName, formatCount(file.bytes()), formatCount(held.st_size)),
            std::to_string(file.bytes()), std::to_string(held.st_size));
    } else if (held.st_ino != there.st_ino || held.st_dev != there.st_dev) {
        addChanged(
            findings, shard,
            fmt::format("another file took the place of {} while it was read", shard.fileName),
            "unchanged", "replaced");
    }
}

}  // namespace fl::checkpoint
