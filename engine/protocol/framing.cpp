// SPDX-License-Identifier: Apache-2.0
#include "engine/protocol/framing.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

namespace fl::protocol {

namespace {

constexpr std::string_view kLengthName = "content-length";
constexpr std::string_view kTypeName = "content-type";
constexpr std::string_view kCommonStart = "content-";

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return out;
}

Error notFramed(std::string_view bytes) {
    std::string shown;
    for (const char c : bytes.substr(0, 24))
        shown += c >= ' ' && c <= '~' ? c : '.';
    return {ErrorCode::Corrupt,
            "the peer does not speak the protocol: '" + shown + "' is no header"};
}

Result<std::size_t> parseLength(std::string_view digits) {
    std::size_t value = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || problem == std::errc::invalid_argument ||
        end != digits.data() + digits.size()) {
        return Error{ErrorCode::Corrupt, fmt::format("Content-Length '{}' is no number", digits)};
    }
    if (problem == std::errc::result_out_of_range || value > kMaxBodyBytes) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("a message of {} bytes was announced, the limit is {}",
                                 digits.substr(0, 24), kMaxBodyBytes)};
    }
    return value;
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text;
}

Result<std::size_t> parseHeader(std::string_view header) {
    std::optional<std::size_t> length;
    while (!header.empty()) {
        const auto lineEnd = header.find("\r\n");
        const std::string_view line = header.substr(0, lineEnd);
        header.remove_prefix(lineEnd == std::string_view::npos ? header.size() : lineEnd + 2);
        const auto colon = line.find(':');
        const std::string key = lower(line.substr(0, colon));
        if (colon == std::string_view::npos || (key != kLengthName && key != kTypeName))
            return notFramed(line);
        if (key == kTypeName)
            continue;
        if (length)
            return Error{ErrorCode::Corrupt, "a header gives Content-Length twice"};
        FL_TRY(length, parseLength(trimmed(line.substr(colon + 1))));
    }
    if (!length)
        return Error{ErrorCode::Corrupt, "a header lacks Content-Length"};
    return *length;
}

}  // namespace

std::string frame(std::string_view body) {
    return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

// True once bodyBytes_ is known.
Result<bool> FrameReader::readHeader() {
    const std::string_view rest = std::string_view(buffer_).substr(begin_);
    const std::size_t compared = std::min(rest.size(), kCommonStart.size());
    if (lower(rest.substr(0, compared)) != kCommonStart.substr(0, compared))
        return notFramed(rest);
    // Three bytes of the end mark may have come before.
    const std::size_t from = scanned_ > 3 ? scanned_ - 3 : 0;
    const auto end = rest.find("\r\n\r\n", from);
    if (end == std::string_view::npos) {
        scanned_ = rest.size();
        if (rest.size() > kMaxHeaderBytes)
            return notFramed(rest);
        return false;
    }
    if (end > kMaxHeaderBytes)
        return notFramed(rest);
    FL_TRY(bodyBytes_, parseHeader(rest.substr(0, end)));
    begin_ += end + 4;
    scanned_ = 0;
    return true;
}

// Moving the rest to the front for every message would be quadratic for a burst of small ones.
void FrameReader::dropTaken() {
    if (begin_ == buffer_.size()) {
        buffer_.clear();
        begin_ = 0;
    } else if (begin_ > (std::size_t{1} << 16) && begin_ > buffer_.size() / 2) {
        buffer_.erase(0, begin_);
        begin_ = 0;
    }
}

Result<std::optional<std::string>> FrameReader::next() {
    if (broken_)
        return *broken_;
    if (!bodyBytes_) {
        const auto header = readHeader();
        if (!header) {
            broken_ = header.error();
            return *broken_;
        }
        if (!*header)
            return std::optional<std::string>();
    }
    if (buffered() < *bodyBytes_)
        return std::optional<std::string>();
    std::optional<std::string> body = buffer_.substr(begin_, *bodyBytes_);
    begin_ += *bodyBytes_;
    bodyBytes_.reset();
    dropTaken();
    return body;
}

}  // namespace fl::protocol
