// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/tensor_stats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/core.h>

namespace fl::checkpoint {

namespace {

// Below this the tables cost more than the values.
constexpr std::int64_t kManyValues = 1 << 16;
// How much is read at once: large enough for any storage, small enough to stop at once.
constexpr std::int64_t kPieceBytes = std::int64_t{4} << 20;
constexpr std::size_t kPatterns16 = 65536;
constexpr std::size_t kPatterns8 = 256;

// Multiplication folded over 128 bits, as in wyhash: mixes eight bytes in about a nanosecond.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

bool isByteType(DType dtype, Encoding encoding) {
    return encoding == Encoding::E8m0 ||
           (encoding == Encoding::Plain && blockLayout(dtype).bytes == 1 &&
            blockLayout(dtype).values == 1);
}

}  // namespace

void StatsCollector::begin(DType dtype, Encoding encoding, std::int64_t bytes) {
    dtype_ = dtype;
    encoding_ = encoding;
    stats_ = {};
    stats_.min = std::numeric_limits<double>::infinity();
    stats_.max = -std::numeric_limits<double>::infinity();
    sum_ = squares_ = 0;
    seen_ = uncounted_ = 0;
    hash_ = static_cast<std::uint64_t>(bytes) + 0x9e3779b97f4a7c15ULL;
    const bool is16 = dtype == DType::F16 || dtype == DType::BF16;
    const bool many = bytes >= kManyValues * (is16 ? 2 : 1);
    if (!decodable(dtype, encoding))
        way_ = Way::Bytes;
    else if (many && is16)
        way_ = Way::Patterns16;
    else if (many && isByteType(dtype, encoding))
        way_ = Way::Patterns8;
    else
        way_ = Way::Values;
    if (way_ == Way::Patterns16 || way_ == Way::Patterns8) {
        const std::size_t size = way_ == Way::Patterns16 ? kPatterns16 : kPatterns8;
        counts_.assign(size * 2, 0);  // two tables, so that equal neighbours do not wait
        totals_.assign(size, 0);
        listBadPatterns();
    }
}

void StatsCollector::add(std::span<const std::byte> bytes) {
    hash(bytes);
    countTail(bytes);
    if (way_ == Way::Values)
        addValues(bytes);
    else if (way_ == Way::Patterns16)
        countPatterns<std::uint16_t>(bytes);
    else if (way_ == Way::Patterns8)
        countPatterns<std::uint8_t>(bytes);
    constexpr std::int64_t kBeforeOverflow = std::int64_t{1} << 31;
    if (uncounted_ >= kBeforeOverflow)
        flush();
}

template <class Pattern>
void StatsCollector::countPatterns(std::span<const std::byte> bytes) {
    std::uint32_t* const even = counts_.data();
    std::uint32_t* const odd = even + totals_.size();
    std::size_t at = 0;
    for (; at + 2 * sizeof(Pattern) <= bytes.size(); at += 2 * sizeof(Pattern)) {
        Pattern pair[2];
        std::memcpy(pair, bytes.data() + at, sizeof pair);
        ++even[pair[0]];
        ++odd[pair[1]];
    }
    if (at < bytes.size()) {
        Pattern last = 0;
        std::memcpy(&last, bytes.data() + at, sizeof last);
        ++even[last];
    }
    uncounted_ += static_cast<std::int64_t>(bytes.size() / sizeof(Pattern));
    noteBad(bytes);
}

TensorStats StatsCollector::end() {
    if (way_ == Way::Patterns16 || way_ == Way::Patterns8) {
        flush();
        for (std::size_t bits = 0; bits < totals_.size(); ++bits) {
            if (totals_[bits] == 0)
                continue;
            addValue(fromPattern(bits), totals_[bits]);
        }
    }
    settle();
    return stats_;
}

void StatsCollector::hash(std::span<const std::byte> bytes) {
    constexpr std::uint64_t kPrime = 0xa0761d6478bd642fULL;
    std::size_t at = 0;
    std::uint64_t a = hash_;
    for (; at + 16 <= bytes.size(); at += 16) {
        std::uint64_t words[2];
        std::memcpy(words, bytes.data() + at, sizeof words);
        a = mix(words[0] ^ kPrime, words[1] ^ a);
    }
    for (; at < bytes.size(); ++at)
        a = mix(a ^ std::to_integer<std::uint64_t>(bytes[at]), kPrime);
    hash_ = a;
}

void StatsCollector::countTail(std::span<const std::byte> bytes) {
    const auto last = std::find_if(bytes.rbegin(), bytes.rend(),
                                   [](std::byte value) { return value != std::byte{0}; });
    const auto zeros = static_cast<std::int64_t>(last - bytes.rbegin());
    stats_.trailingZeroBytes = last == bytes.rend() ? stats_.trailingZeroBytes + zeros : zeros;
}

void StatsCollector::addValues(std::span<const std::byte> bytes) {
    constexpr std::size_t kAtOnce = 16384;  // a multiple of every unit
    const auto unit = static_cast<std::size_t>(unitBytes(dtype_));
    const std::size_t step = kAtOnce / unit * unit;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        values_.clear();
        decode(dtype_, encoding_, bytes.subspan(at, std::min(step, bytes.size() - at)), values_);
        for (const float value : values_) {
            if (!std::isfinite(value) && stats_.firstBad < 0)
                stats_.firstBad = seen_;
            addValue(value, 1);
            ++seen_;
        }
    }
}

void StatsCollector::addValue(float value, std::int64_t times) {
    stats_.values += times;
    stats_.negative += value < 0 ? times : 0;
    if (std::isnan(value)) {
        stats_.nan += times;
        return;
    }
    if (std::isinf(value)) {
        stats_.infinite += times;
        stats_.negativeInfinite += value < 0 ? times : 0;
        return;
    }
    stats_.zero += value == 0 ? times : 0;
    const auto exact = static_cast<double>(value);
    stats_.min = std::min(stats_.min, exact);
    stats_.max = std::max(stats_.max, exact);
    sum_ += exact * static_cast<double>(times);
    squares_ += exact * exact * static_cast<double>(times);
}

float StatsCollector::fromPattern(std::size_t bits) const {
    return way_ == Way::Patterns16
               ? fromPattern16(dtype_, static_cast<std::uint16_t>(bits))
               : fromPattern8(dtype_, encoding_, static_cast<std::uint8_t>(bits));
}

void StatsCollector::listBadPatterns() {
    badPatterns_.clear();
    for (std::size_t bits = 0; bits < totals_.size(); ++bits) {
        if (!std::isfinite(fromPattern(bits)))
            badPatterns_.push_back(static_cast<std::uint16_t>(bits));
    }
}

// Where the first value lies that is no number, looked for only once there is one.
void StatsCollector::noteBad(std::span<const std::byte> bytes) {
    const std::size_t width = way_ == Way::Patterns16 ? 2 : 1;
    const std::size_t count = bytes.size() / width;
    const std::size_t patterns = totals_.size();
    const bool any = stats_.firstBad < 0 &&
                     std::any_of(badPatterns_.begin(), badPatterns_.end(), [&](std::uint16_t bits) {
                         return counts_[bits] + counts_[patterns + bits] != 0;
                     });
    for (std::size_t i = 0; any && i < count && stats_.firstBad < 0; ++i) {
        std::size_t bits = std::to_integer<std::size_t>(bytes[i * width]);
        if (width == 2)
            bits |= std::to_integer<std::size_t>(bytes[i * width + 1]) << 8;
        if (!std::isfinite(fromPattern(bits)))
            stats_.firstBad = seen_ + static_cast<std::int64_t>(i);
    }
    seen_ += static_cast<std::int64_t>(count);
}

void StatsCollector::flush() {
    const std::size_t size = totals_.size();
    for (std::size_t i = 0; i < size; ++i)
        totals_[i] += std::int64_t{counts_[i]} + counts_[size + i];
    std::fill(counts_.begin(), counts_.end(), 0);
    uncounted_ = 0;
}

void StatsCollector::settle() {
    stats_.hash = mix(hash_, 0xe7037ed1a0b428dbULL);
    const std::int64_t count = stats_.finite();
    if (count == 0) {
        stats_.min = stats_.max = 0;
        return;
    }
    stats_.mean = sum_ / static_cast<double>(count);
    stats_.rms = std::sqrt(squares_ / static_cast<double>(count));
}

Status readPieces(const FileReader& file,
                  const TensorInfo& tensor,
                  std::vector<std::byte>& buffer,
                  const CancelToken& cancel,
                  const PieceHandler& handler) {
    const std::int64_t unit = unitBytes(tensor.dtype);
    const std::int64_t step = kPieceBytes / unit * unit;
    buffer.resize(static_cast<std::size_t>(std::min(step, tensor.bytes)));
    for (std::int64_t done = 0; done < tensor.bytes; done += step) {
        FL_DO(cancel.check("reading values"));
        const auto piece =
            std::span(buffer).first(static_cast<std::size_t>(std::min(step, tensor.bytes - done)));
        FL_DO(file.read(tensor.offset + done, piece));
        handler(piece);
    }
    return Done{};
}

Result<Histogram> histogramOf(const Checkpoint& checkpoint,
                              const TensorInfo& tensor,
                              int bins,
                              const CancelToken& cancel) {
    const Encoding encoding = encodingOf(checkpoint.inventory, tensor);
    if (!decodable(tensor.dtype, encoding)) {
        return Error{ErrorCode::Unsupported, fmt::format("the values of {}, {}, are not known here",
                                                         tensor.name, name(tensor.dtype))};
    }
    const Shard& shard = checkpoint.shards[static_cast<std::size_t>(tensor.shard)];
    FL_TRY(const FileReader file, FileReader::open(shard.path));
    std::vector<std::byte> buffer;
    StatsCollector collector;
    collector.begin(tensor.dtype, encoding, tensor.bytes);
    FL_DO(readPieces(file, tensor, buffer, cancel,
                     [&collector](auto piece) { collector.add(piece); }));
    Histogram out;
    out.stats = collector.end();
    out.counts.assign(static_cast<std::size_t>(bins), 0);
    const double width = out.stats.max - out.stats.min;
    std::vector<float> values;
    FL_DO(readPieces(file, tensor, buffer, cancel, [&](auto piece) {
        values.clear();
        decode(tensor.dtype, encoding, piece, values);
        for (const float value : values) {
            if (!std::isfinite(value))
                continue;
            const double place = width > 0 ? (value - out.stats.min) / width * bins : 0;
            ++out.counts[static_cast<std::size_t>(std::clamp(place, 0.0, bins - 1.0))];
        }
    }));
    return out;
}

}  // namespace fl::checkpoint
