// SPDX-License-Identifier: Apache-2.0
#include "engine/service/key_proof.h"

#include <array>
#include <bit>
#include <charconv>

#include <fmt/core.h>
#include <sys/random.h>

namespace fl::service {

namespace {

constexpr std::size_t kKeyDigits = 32;

struct SipState {
    std::uint64_t v0, v1, v2, v3;

    void round() {
        v0 += v1;
        v1 = std::rotl(v1, 13) ^ v0;
        v0 = std::rotl(v0, 32);
        v2 += v3;
        v3 = std::rotl(v3, 16) ^ v2;
        v0 += v3;
        v3 = std::rotl(v3, 21) ^ v0;
        v2 += v1;
        v1 = std::rotl(v1, 17) ^ v2;
        v2 = std::rotl(v2, 32);
    }
    void absorb(std::uint64_t word) {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }
};

std::uint64_t littleEndian(std::string_view bytes) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return word;
}

bool parseHex(std::string_view digits, std::uint64_t& out) {
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    return problem == std::errc() && end == digits.data() + digits.size();
}

}  // namespace

Result<std::string> randomKey() {
    std::array<std::uint64_t, 2> words{};
    if (::getrandom(words.data(), sizeof words, 0) != sizeof words)
        return Error{ErrorCode::Io, "the system gives no random numbers"};
    return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

std::uint64_t sipHash(std::uint64_t key0, std::uint64_t key1, std::string_view bytes) {
    // "somepseudorandomlygeneratedbytes", as the paper initialises the state.
    SipState state{key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d, key0 ^ 0x6c7967656e657261,
                   key1 ^ 0x7465646279746573};
    const std::uint64_t length = std::uint64_t{bytes.size()} << 56;
    while (bytes.size() >= 8) {
        state.absorb(littleEndian(bytes.substr(0, 8)));
        bytes.remove_prefix(8);
    }
    state.absorb(littleEndian(bytes) | length);
    state.v2 ^= 0xff;
    for (int i = 0; i < 4; ++i)
        state.round();
    return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

std::string keyProof(const std::string& key,
                     std::string_view role,
                     std::string_view controlNonce,
                     std::string_view rankNonce) {
    std::uint64_t key0 = 0;
    std::uint64_t key1 = 0;
    const std::string_view digits = key;
    if (digits.size() != kKeyDigits || !parseHex(digits.substr(0, kKeyDigits / 2), key0) ||
        !parseHex(digits.substr(kKeyDigits / 2), key1))
        return "";
    const std::string text = fmt::format("{}|{}|{}", role, controlNonce, rankNonce);
    return fmt::format("{:016x}", sipHash(key0, key1, text));
}

}  // namespace fl::service
