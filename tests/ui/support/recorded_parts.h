// SPDX-License-Identifier: GPL-3.0-or-later
// Parts that the recordings share.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/protocol/messages.h"

namespace fl::test {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr std::int64_t kGiB = 1024 * kMiB;

// Small repeatable disorder between −1 and 1, so that recordings look measured.
double jitter(int a, int b = 0);
std::int64_t gib(double value);
protocol::StageState stage(const char* key, const char* state, const char* summary, double seconds);
protocol::LogLine line(
    double before, int rank, const char* level, const char* category, const char* text);
void total(protocol::LedgerInfo& ledger);
// Break-downs and sums of a census from its tensors.
void countKinds(const std::vector<protocol::TensorRow>& rows, protocol::Census& census);
protocol::AlternativeInfo alternative(const protocol::MeshInfo& mesh,
                                      std::int64_t peakBytes,
                                      std::int64_t freeBytes,
                                      double seconds);
protocol::GroupInfo group(const char* kind, int number, std::vector<int> ranks);
protocol::GroupInfo formed(protocol::GroupInfo value, double allReduce, double ring);

}  // namespace fl::test
