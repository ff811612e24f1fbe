// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/recorded_parts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/ui/support/recorded.h"

namespace fl::test {

double jitter(int a, int b) {
    const auto mixed = static_cast<unsigned>(a * 7919 + b * 104729 + 12345) * 2654435761U;
    return double(mixed >> 8) / double(1U << 23) - 1.0;
}

std::int64_t gib(double value) {
    return std::llround(value * double(kGiB));
}

protocol::StageState stage(const char* key,
                           const char* state,
                           const char* summary,
                           double seconds) {
    protocol::StageState value;
    value.stage = key;
    value.state = state;
    value.summary = summary;
    value.seconds = seconds;
    value.startedAt = seconds > 0 ? kRecordedNow - 120 : 0;
    return value;
}

protocol::LogLine line(
    double before, int rank, const char* level, const char* category, const char* text) {
    protocol::LogLine value;
    value.time = kRecordedNow - before;
    value.rank = rank;
    value.level = level;
    value.category = category;
    value.text = text;
    return value;
}

void total(protocol::LedgerInfo& l) {
    l.total = l.weights + l.scales + l.kv + l.state + l.activations + l.communication + l.context +
              l.staging;
}

void countKinds(const std::vector<protocol::TensorRow>& rows, protocol::Census& census) {
    std::map<std::string, std::int64_t> dtypes;
    std::map<std::string, std::int64_t> kinds;
    for (const protocol::TensorRow& row : rows) {
        dtypes[row.dtype] += row.bytes;
        kinds[row.kind] += row.bytes;
        census.tensorBytes += row.bytes;
    }
    const auto larger = [](const protocol::Named& a, const protocol::Named& b) {
        return a.value > b.value;
    };
    for (const auto& [name, bytes] : dtypes)
        census.bytesByDtype.push_back({name, bytes});
    for (const auto& [name, bytes] : kinds)
        census.bytesByKind.push_back({name, bytes});
    std::sort(census.bytesByDtype.begin(), census.bytesByDtype.end(), larger);
    std::sort(census.bytesByKind.begin(), census.bytesByKind.end(), larger);
    census.tensors = std::int64_t(rows.size());
}

protocol::AlternativeInfo alternative(const protocol::MeshInfo& mesh,
                                      std::int64_t peakBytes,
                                      std::int64_t freeBytes,
                                      double seconds) {
    protocol::AlternativeInfo result;
    result.mesh = mesh;
    result.peakBytes = peakBytes;
    result.freeBytes = freeBytes;
    result.step = seconds;
    return result;
}

protocol::GroupInfo group(const char* kind, int number, std::vector<int> ranks) {
    protocol::GroupInfo value;
    value.kind = kind;
    value.name = std::string(kind) + std::to_string(number);
    value.ranks = std::move(ranks);
    return value;
}

protocol::GroupInfo formed(protocol::GroupInfo value, double allReduce, double ring) {
    value.state = "formed";
    value.formedSeconds = 0.21;
    value.allReduceSeconds = allReduce;
    value.allReduceBytes = 16 * kKiB;
    value.ringBytesPerSecond = ring;
    return value;
}

}  // namespace fl::test
