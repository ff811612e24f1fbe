// SPDX-License-Identifier: Apache-2.0
// How the two ends of a rank link show each other that they know the key of the job without
// sending it: a keyed hash over both ends' random numbers.
//
// The hash is SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), made
// for authenticating short messages under a 128-bit key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace fl::service {

// 32 hexadecimal digits from the system's random source.
Result<std::string> randomKey();

std::uint64_t sipHash(std::uint64_t key0, std::uint64_t key1, std::string_view bytes);

// What the end called `role` ("rank", "control") answers. Empty if `key` is no key.
std::string keyProof(const std::string& key,
                     std::string_view role,
                     std::string_view controlNonce,
                     std::string_view rankNonce);

}  // namespace fl::service
