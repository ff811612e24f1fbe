// SPDX-License-Identifier: Apache-2.0
// A file mapped for reading that may shrink under the reader without killing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/base/file_reader.h"
#include "engine/base/result.h"

namespace fl {

// Movable, unmapped at the end of its life. Reading a page that the file no longer has (it was
// truncated, its disk failed) gives zeros and marks the mapping; so checkIntact() comes after
// reading and before anything is believed.
//
// The first mapping installs a process-wide SIGBUS handler, which passes faults at other addresses
// on to the handler that was there before.
class MappedFile {
public:
    // Fails as FileReader::open does. An empty file gives an empty span.
    static Result<MappedFile> open(const std::string& path);

    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return {data_, size_}; }
    const std::string& path() const { return file_.path(); }

    // Corrupt, naming the file, if any byte read so far may not have been the file's.
    Status checkIntact() const;

    struct Region;  // what the signal handler knows of one mapping

private:
    explicit MappedFile(FileReader file) : file_(std::move(file)) {}
    void unmap();

    FileReader file_;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    Region* region_ = nullptr;
};

}  // namespace fl
