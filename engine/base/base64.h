// SPDX-License-Identifier: Apache-2.0
// Bytes as text that JSON carries (RFC 4648, section 4: the standard alphabet, with padding).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace fl {

std::string encodeBase64(std::span<const std::byte> bytes);

// Corrupt names the first character that does not belong there; white space is none of them.
Result<std::string> decodeBase64(std::string_view text);

}  // namespace fl
