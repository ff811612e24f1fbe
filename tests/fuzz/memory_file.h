// SPDX-License-Identifier: Apache-2.0
// A file in memory with a path, for readers that open what they read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace fl::fuzz {

// Lives as long as the fuzzer; the content is replaced for each input.
class MemoryFile {
public:
    MemoryFile() : fd_(::memfd_create("input", MFD_CLOEXEC)) {
        if (fd_ < 0)
            std::abort();
    }
    ~MemoryFile() { ::close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    void fill(const std::uint8_t* data, std::size_t size) const {
        if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, data, size, 0) < 0)
            std::abort();
    }
    std::string folder() const { return "/proc/self/fd"; }
    std::string name() const { return std::to_string(fd_); }
    std::string path() const { return folder() + "/" + name(); }

private:
    int fd_;
};

// What a reader believes must be true; a broken belief ends the fuzzer with its input.
inline void require(bool condition) {
    if (!condition)
        std::abort();
}

}  // namespace fl::fuzz
