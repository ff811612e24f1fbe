// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/attention.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/ref/attention.h"
#include "tests/kernels/kernel_testing.h"

namespace fl::kernels {
namespace {

struct Shape {
    std::int32_t heads;
    std::int32_t kvHeads;
    std::int32_t headDim;
    std::int32_t pageTokens;
    fl_dtype type;
};

// Sequences of which some tokens are cached and some come in this step.
struct Sequence {
    std::int32_t cached;
    std::int32_t fresh;
};

// A step over shuffled pages; positions before the step hold random keys and values.
class Step {
public:
    Step(const Shape& shape, const std::vector<Sequence>& sequences)
        : shape_(shape),
          random_(static_cast<std::uint32_t>(shape.headDim * 31 + shape.heads)) {
        layPages(sequences);
        layRows(sequences);
        const std::int64_t rows = static_cast<std::int64_t>(rowSequences_.size());
        q_ = random_.floats(rows * shape.heads * shape.headDim);
        k_ = random_.floats(rows * shape.kvHeads * shape.headDim);
        v_ = random_.floats(rows * shape.kvHeads * shape.headDim);
    }

    // What one implementation makes of it, starting from the same cache.
    template <class Attention>
    std::vector<float> run(const Attention& attention) {
        pages_ = initialPages_;
        std::vector<float> y(q_.size(), -7.0F);
        fl_attention_args args{};
        args.size = sizeof args;
        args.rows = static_cast<std::int64_t>(rowSequences_.size());
        args.heads = shape_.heads;
        args.kv_heads = shape_.kvHeads;
        args.head_dim = shape_.headDim;
        args.scale = 0.3F;
        args.q = q_.data();
        args.k = k_.data();
        args.v = v_.data();
        args.k_pages = pages_.data();
        args.v_pages = pages_.data() + pageBytes_ / 2;
        args.kv_dtype = shape_.type;
        args.page_bytes = pageBytes_;
        args.page_tokens = shape_.pageTokens;
        args.row_sequences = rowSequences_.data();
        args.row_positions = rowPositions_.data();
        args.page_tables = tables_.data();
        args.table_stride = tableStride_;
        args.y = y.data();
        attention(args);
        return y;
    }

    const std::vector<std::uint8_t>& pages() const { return pages_; }

private:
    void layPages(const std::vector<Sequence>& sequences) {
        std::vector<std::int32_t> free;
        for (const Sequence& sequence : sequences) {
            const std::int32_t tokens = sequence.cached + sequence.fresh;
            tableStride_ = std::max<std::int64_t>(
                tableStride_, (tokens + shape_.pageTokens - 1) / shape_.pageTokens);
        }
        const auto pages = tableStride_ * static_cast<std::int64_t>(sequences.size());
        for (std::int32_t page = 0; page < pages; ++page)
            free.push_back(page);
        for (std::size_t i = free.size(); i > 1; --i)
            std::swap(free[i - 1], free[static_cast<std::size_t>(
                                       random_.integer(0, static_cast<std::int32_t>(i) - 1))]);
        tables_ = free;
        const std::int64_t values =
            std::int64_t{shape_.pageTokens} * shape_.kvHeads * shape_.headDim;
        pageBytes_ = 2 * fl_row_bytes(shape_.type, values);
        initialPages_ = random_.weights(shape_.type, 2 * pages, values);
    }

    // Rows of different sequences are interleaved.
    void layRows(const std::vector<Sequence>& sequences) {
        bool more = true;
        for (std::int32_t turn = 0; more; ++turn) {
            more = false;
            for (std::size_t i = 0; i < sequences.size(); ++i) {
                if (turn >= sequences[i].fresh)
                    continue;
                rowSequences_.push_back(static_cast<std::int32_t>(i));
                rowPositions_.push_back(sequences[i].cached + turn);
                more = true;
            }
        }
    }

    Shape shape_;
    test::Random random_;
    std::int64_t tableStride_ = 0;
    std::int64_t pageBytes_ = 0;
    std::vector<std::int32_t> tables_;
    std::vector<std::int32_t> rowSequences_;
    std::vector<std::int32_t> rowPositions_;
    std::vector<std::uint8_t> initialPages_;
    std::vector<std::uint8_t> pages_;
    std::vector<float> q_;
    std::vector<float> k_;
    std::vector<float> v_;
};

void check(const Shape& shape, const std::vector<Sequence>& sequences) {
    Step step(shape, sequences);
    const auto expected = step.run(ref::attention);
    const auto expectedPages = step.pages();
    test::onEveryTarget([&](cpu::Parallel& parallel) {
        const auto actual = step.run([&](const fl_attention_args& args) {
            ASSERT_EQ(cpu::attention(args, parallel), nullptr);
        });
        EXPECT_EQ(expectedPages, step.pages());
        test::expectNear(
            expected, actual, 2e-6,
            std::string(test::typeName(shape.type)) + " head of " + std::to_string(shape.headDim));
    });
}

TEST(CpuAttention, MatchesTheReferenceForEveryHeadSize) {
    for (std::int32_t headDim = 1; headDim <= 70; ++headDim)
        check({2, 1, headDim, 4, headDim % 2 == 0 ? FL_BF16 : FL_F32}, {{5, 2}});
}

TEST(CpuAttention, MatchesTheReferenceForEveryGrouping) {
    for (const fl_dtype type : {FL_F32, FL_BF16}) {
        check({9, 3, 64, 16, type}, {{40, 1}});
        check({8, 1, 32, 16, type}, {{17, 3}});
        check({6, 6, 16, 16, type}, {{3, 3}});
        check({7, 1, 16, 16, type}, {{3, 3}});
    }
}

TEST(CpuAttention, MixesPrefillAndDecodeOfManySequencesOnShuffledPages) {
    for (const fl_dtype type : {FL_F32, FL_BF16}) {
        check({4, 2, 32, 8, type}, {{0, 37}, {100, 1}, {15, 1}, {16, 1}, {0, 1}, {31, 9}});
    }
}

TEST(CpuAttention, MatchesTheReferenceForEveryContextLengthAroundAPage) {
    for (std::int32_t cached = 0; cached <= 70; ++cached)
        check({2, 2, 16, 32, FL_BF16}, {{cached, 1}});
}

TEST(CpuAttention, RefusesHeadsThatDoNotDivide) {
    cpu::Parallel parallel(1);
    fl_attention_args args{};
    args.heads = 9;
    args.kv_heads = 2;
    args.page_tokens = 16;
    EXPECT_STREQ(cpu::attention(args, parallel), "`kv_heads` does not divide `heads`");
    args.kv_heads = 3;
    args.kv_dtype = FL_F16;
    EXPECT_STREQ(cpu::attention(args, parallel), "the cache is neither float32 nor bfloat16");
    args.kv_heads = 0;
    EXPECT_EQ(cpu::attentionScratchBytes(args, 1), 0);
}

}  // namespace
}  // namespace fl::kernels
