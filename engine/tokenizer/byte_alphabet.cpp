// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/byte_alphabet.h"

#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

namespace {

// Bytes that are printable in Latin-1 stand for themselves; the others, in order, are the
// characters from U+0100 on.
constexpr bool isPrintableByte(char32_t byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) ||
           (byte >= 0xAE && byte <= 0xFF);
}

constexpr char32_t kFirstMoved = 0x100;

// Byte of the n-th moved character: 0x00–0x20, 0x7F–0xA0, 0xAD.
constexpr int movedByte(char32_t index) {
    if (index <= 0x20)
        return static_cast<int>(index);
    if (index <= 0x42)
        return static_cast<int>(index - 0x21 + 0x7F);
    return index == 0x43 ? 0xAD : -1;
}

}  // namespace

std::string byteSpelling(unsigned char byte) {
    char32_t code = byte;
    if (byte <= 0x20)
        code = kFirstMoved + byte;
    else if (byte >= 0x7F && byte <= 0xA0)
        code = kFirstMoved + 0x21 + (byte - 0x7F);
    else if (byte == 0xAD)
        code = kFirstMoved + 0x43;
    std::string out;
    appendUtf8(out, code);
    return out;
}

std::optional<std::string> spelledBytes(std::string_view spelling) {
    std::string out;
    out.reserve(spelling.size());
    for (std::size_t at = 0; at < spelling.size();) {
        const Utf8Char next = decodeUtf8(spelling, at);
        if (next.state != Utf8State::Valid)
            return std::nullopt;
        int byte = -1;
        if (isPrintableByte(next.code))
            byte = static_cast<int>(next.code);
        else if (next.code >= kFirstMoved)
            byte = movedByte(next.code - kFirstMoved);
        if (byte < 0)
            return std::nullopt;
        out.push_back(static_cast<char>(byte));
        at += next.bytes;
    }
    return out;
}

}  // namespace fl::tokenizer
