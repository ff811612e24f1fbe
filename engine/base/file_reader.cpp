// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file_reader.h"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include "engine/base/text.h"

namespace fl {

namespace {

std::string_view kindOf(mode_t mode) {
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISFIFO(mode))
        return "a named pipe";
    if (S_ISSOCK(mode))
        return "a socket";
    return "a device";
}

Error openError(const std::string& path, int code) {
    struct stat facts {};
    const bool link = ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode);
    if (code == ELOOP)
        return {ErrorCode::NotFound, path + " is a loop of links"};
    if (code == ENOENT && link)
        return {ErrorCode::NotFound, path + " is a link to nothing"};
    if (code == ENOENT || code == ENOTDIR)
        return {ErrorCode::NotFound, path + " does not exist"};
    return {ErrorCode::Io, fmt::format("cannot open {}: {}", path, std::strerror(code))};  // NOLINT
}

}  // namespace

Result<FileReader> FileReader::open(const std::string& path) {
    // Looked at before it is opened: opening a pipe waits for a writer, and a device may act.
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0)
        return openError(path, errno);
    if (!S_ISREG(facts.st_mode)) {
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("{} is {}, not a file", path, kindOf(facts.st_mode))};
    }
    FileReader reader;
    reader.path_ = path;
    // O_NONBLOCK, because the path may have changed since.
    reader.fd_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!reader.fd_ || ::fstat(reader.fd(), &facts) != 0)
        return openError(path, errno);
    reader.bytes_ = facts.st_size;
    return reader;
}

Status FileReader::read(std::int64_t offset, std::span<std::byte> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got = ::pread(fd(), out.data() + done, out.size() - done,
                                    offset + static_cast<std::int64_t>(done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            return Error{ErrorCode::Io,
                         fmt::format("cannot read {}: {}", path_, std::strerror(errno))};  // NOLINT
        }
        if (got == 0) {
            return Error{ErrorCode::Corrupt,
                         fmt::format("{} ends {} B before byte {}, {}", path_,
                                     formatCount(static_cast<std::int64_t>(out.size() - done)),
                                     formatCount(offset + static_cast<std::int64_t>(out.size())),
                                     offset + static_cast<std::int64_t>(out.size()) <= bytes_
                                         ? "it has shrunk since it was opened"
                                         : "which was asked for")};
        }
        done += static_cast<std::size_t>(got);
    }
    return Done{};
}

}  // namespace fl
