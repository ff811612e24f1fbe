// SPDX-License-Identifier: Apache-2.0
// What a file really is that should have been a checkpoint.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "engine/checkpoint/finding_list.h"

namespace fl::checkpoint {

enum class FileKind : std::uint8_t {
    Unknown,
    Gguf,
    Safetensors,  // begins as one: a length and a brace
    LfsPointer,
    HtmlPage,
    JsonText,
    Text,
    Zip,
    Gzip,
    Pickle,
    Zeros,
};

std::string_view name(FileKind kind);  // "an HTML page"

// By the first bytes.
FileKind fileKind(std::span<const std::byte> bytes);

// The finding for a file that is none of ours: lfs-pointer with its own remedy, else
// `code` ("not-safetensors") with what it is. `expected` is the format's name.
void addForeignFile(FindingList& findings,
                    std::string_view code,
                    std::string_view file,
                    std::string_view expected,
                    std::span<const std::byte> bytes);

}  // namespace fl::checkpoint
