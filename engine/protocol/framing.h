// SPDX-License-Identifier: Apache-2.0
// Cuts a byte stream into messages: "Content-Length: N\r\n\r\n" and N bytes of JSON, as the
// Language Server Protocol (base protocol, header part) does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace fl::protocol {

constexpr std::size_t kMaxBodyBytes = std::size_t{64} << 20;
// Two header lines take less than 150 bytes; whatever is longer is no header.
constexpr std::size_t kMaxHeaderBytes = 1024;

// The message with its header.
std::string frame(std::string_view body);

// Takes bytes in any portions, a byte at a time as well as megabytes. Memory grows with the bytes
// that came, never with what a header claims.
class FrameReader {
public:
    void append(std::string_view bytes) { buffer_.append(bytes); }

    // The next whole message; nothing if more bytes are needed. After an error the stream cannot
    // be trusted any more: every further call gives the same error.
    Result<std::optional<std::string>> next();

    std::size_t buffered() const { return buffer_.size() - begin_; }

private:
    Result<bool> readHeader();
    void dropTaken();

    std::string buffer_;
    std::size_t begin_ = 0;    // of what has not been given out
    std::size_t scanned_ = 0;  // up to where the end of the header has been looked for
    std::optional<std::size_t> bodyBytes_;
    std::optional<Error> broken_;
};

}  // namespace fl::protocol
