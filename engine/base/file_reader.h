// SPDX-License-Identifier: Apache-2.0
// Reads ranges of one regular file by position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

namespace fl {

// Movable. read() may be called from several threads at once.
class FileReader {
public:
    // Links are followed. NotFound: nothing there, a link to nothing or a loop of links;
    // InvalidArgument: a folder, pipe, socket or device, which is never opened; Io: no permission.
    static Result<FileReader> open(const std::string& path);

    const std::string& path() const { return path_; }
    std::int64_t bytes() const { return bytes_; }  // when it was opened
    int fd() const { return fd_.get(); }

    // Fills all of `out` from byte `offset` on. Corrupt, with the missing number of bytes, if the
    // file ends before that: it was shorter from the start, or has shrunk.
    Status read(std::int64_t offset, std::span<std::byte> out) const;

private:
    std::string path_;
    std::int64_t bytes_ = 0;
    UniqueFd fd_;
};

}  // namespace fl
