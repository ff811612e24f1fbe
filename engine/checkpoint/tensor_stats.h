// SPDX-License-Identifier: Apache-2.0
// What the values of one tensor are like, taken in one pass over its stored bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/file_reader.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/value_decoder.h"

namespace fl::checkpoint {

struct TensorStats {
    std::int64_t values = 0;  // 0 where the type cannot be taken apart
    std::int64_t nan = 0;
    std::int64_t infinite = 0;
    std::int64_t negativeInfinite = 0;  // of `infinite`
    std::int64_t zero = 0;
    std::int64_t negative = 0;   // below zero, infinities included
    std::int64_t firstBad = -1;  // index of the first NaN or infinity
    // Of the finite values; 0 if there are none.
    double min = 0;
    double max = 0;
    double mean = 0;
    double rms = 0;
    std::int64_t trailingZeroBytes = 0;
    std::uint64_t hash = 0;  // of the stored bytes; 0: they could not be read

    std::int64_t finite() const { return values - nan - infinite; }
    bool wasRead() const { return hash != 0; }
};

// Takes the bytes of one tensor piece by piece; used again for the next one. One thread.
//
// Large tensors of 8 and 16 bits are counted by bit pattern, and everything else follows from these
// counts: one increment a value, whatever the values are.
class StatsCollector {
public:
    // `bytes`: of the whole tensor.
    void begin(DType dtype, Encoding encoding, std::int64_t bytes);
    // A whole number of units (unitBytes).
    void add(std::span<const std::byte> bytes);
    TensorStats end();

private:
    enum class Way : std::uint8_t { Patterns8, Patterns16, Values, Bytes };

    void hash(std::span<const std::byte> bytes);
    void countTail(std::span<const std::byte> bytes);
    template <class Pattern>
    void countPatterns(std::span<const std::byte> bytes);
    void addValues(std::span<const std::byte> bytes);
    void addValue(float value, std::int64_t times);
    void listBadPatterns();
    void noteBad(std::span<const std::byte> bytes);
    float fromPattern(std::size_t bits) const;
    void flush();
    void settle();

    DType dtype_ = DType::F32;
    Encoding encoding_ = Encoding::Plain;
    Way way_ = Way::Values;
    TensorStats stats_;
    double sum_ = 0;
    double squares_ = 0;
    std::int64_t seen_ = 0;  // values before the piece being added
    std::vector<std::uint32_t> counts_;
    std::vector<std::int64_t> totals_;
    std::int64_t uncounted_ = 0;              // in counts_, not in totals_ yet
    std::vector<std::uint16_t> badPatterns_;  // of NaN and infinities
    std::vector<float> values_;
    std::uint64_t hash_ = 0;
};

// Counts of the finite values between min and max, in equal steps.
struct Histogram {
    TensorStats stats;
    std::vector<std::int64_t> counts;
};

// Reads the tensor twice: for its range, then for the counts. Unsupported where its type cannot be
// taken apart. Precondition: bins ≥ 1.
Result<Histogram> histogramOf(const Checkpoint& checkpoint,
                              const TensorInfo& tensor,
                              int bins,
                              const CancelToken& cancel);

// Reads a tensor in pieces of whole units and hands each on; Cancelled between two of them.
using PieceHandler = std::function<void(std::span<const std::byte>)>;
Status readPieces(const FileReader& file,
                  const TensorInfo& tensor,
                  std::vector<std::byte>& buffer,
                  const CancelToken& cancel,
                  const PieceHandler& handler);

}  // namespace fl::checkpoint
