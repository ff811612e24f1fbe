// SPDX-License-Identifier: Apache-2.0
// Reads golden lines and compares a tokenizer with them.
#pragma once

#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/tokenizer/tokenizer.h"

namespace fl::test {

std::vector<Json> readLines(const std::string& path);
std::vector<tokenizer::TokenId> idsOf(const Json& list);

// One line per golden line that `tokenizer` does not meet.
std::vector<std::string> mismatches(const tokenizer::Tokenizer& tokenizer,
                                    const std::vector<Json>& golden);
// The same for lines of ids and the pieces to show after each.
std::vector<std::string> streamMismatches(const tokenizer::Tokenizer& tokenizer,
                                          const std::vector<Json>& golden);

// The same for lines of bytes that are no UTF-8, in hexadecimal, and their ids.
std::vector<std::string> byteMismatches(const tokenizer::Tokenizer& tokenizer,
                                        const std::vector<Json>& golden);

}  // namespace fl::test
