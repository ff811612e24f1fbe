// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fl {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kPadding = '=';
constexpr std::uint8_t kNoDigit = 64;

// By character: the digit that it stands for.
constexpr std::array<std::uint8_t, 256> kDigits = [] {
    std::array<std::uint8_t, 256> out{};
    out.fill(kNoDigit);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i)
        out[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
    return out;
}();

std::uint32_t digitOf(char letter) {
    return kDigits[static_cast<unsigned char>(letter)];
}

Error wrong(std::size_t at, const std::string& what) {
    return {ErrorCode::Corrupt, "base64: " + what + " at character " + std::to_string(at)};
}

}  // namespace

std::string encodeBase64(std::span<const std::byte> bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            out += k <= count ? kAlphabet[group >> (18 - 6 * k) & 63] : kPadding;
    }
    return out;
}

Result<std::string> decodeBase64(std::string_view text) {
    if (text.size() % 4 != 0)
        return wrong(text.size(), "the text ends within a group of four");
    std::string out;
    out.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        std::size_t count = 4;
        if (last && text[i + 3] == kPadding)
            count = text[i + 2] == kPadding ? 2 : 3;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const std::uint32_t digit = k < count ? digitOf(text[i + k]) : 0;
            if (digit == kNoDigit)
                return wrong(i + k, "a character that is no digit");
            group = group << 6 | digit;
        }
        for (std::size_t k = 0; k + 1 < count; ++k)
            out += static_cast<char>(group >> (16 - 8 * k) & 255);
    }
    return out;
}

}  // namespace fl
