// SPDX-License-Identifier: Apache-2.0
// Covers: engine/load/non_finite.cpp
#include "engine/load/part_reader.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::load {

namespace {

using checkpoint::TensorInfo;

// One file with one tensor behind some padding.
struct OneTensor {
    OneTensor(DType dtype, Shape shape)
        : data(static_cast<std::size_t>(*rowBytes(dtype, *shape.count())), ' ') {
        for (std::size_t i = 0; i < data.size(); ++i)
            data[i] = static_cast<char>((i * 31 + i / 251) % 119);  // no exponent of all ones
        tensor = {"w", dtype, shape, 0, 24, static_cast<std::int64_t>(data.size())};
        write();
    }
    void write() {
        checkpoint::Shard shard;
        shard.path = test::writeTo(folder.path(), "one.bin", std::string(24, '#') + data);
        shard.fileName = "one.bin";
        shards = {shard};
    }
    Result<PartList> parts(const plan::Slice& slice) const {
        const std::vector<std::vector<TensorInfo>> tensors = {{tensor}};
        return makeParts({&slice, 1}, tensors);
    }

    test::TempDir folder;
    std::string data;
    TensorInfo tensor;
    std::vector<checkpoint::Shard> shards;
};

class MemorySink final : public WeightSink {
public:
    MemorySink(std::int64_t bytes, bool direct)
        : memory(static_cast<std::size_t>(bytes), std::byte{0xEE}),
          direct_(direct) {}
    std::byte* direct(std::int64_t offset) override {
        return direct_ ? memory.data() + offset : nullptr;
    }
    Status write(std::int64_t offset, std::span<const std::byte> bytes) override {
        largest = std::max(largest, bytes.size());
        std::copy(bytes.begin(), bytes.end(), memory.begin() + offset);
        return Done{};
    }
    std::vector<std::byte> memory;
    std::size_t largest = 0;

private:
    bool direct_;
};

// The slice, element block by element block.
std::string naiveSlice(const OneTensor& file, const plan::Slice& slice) {
    const BlockLayout block = blockLayout(file.tensor.dtype);
    const std::int64_t columns = file.tensor.shape[1] / block.values;
    std::string out;
    for (std::int64_t row = 0; row < file.tensor.shape[0]; ++row) {
        if (slice.axis == 0 && (row < slice.begin || row >= slice.end))
            continue;
        for (std::int64_t column = 0; column < columns; ++column) {
            const std::int64_t first = column * block.values;
            if (slice.axis == 1 && (first < slice.begin || first >= slice.end))
                continue;
            out +=
                file.data.substr(static_cast<std::size_t>((row * columns + column) * block.bytes),
                                 static_cast<std::size_t>(block.bytes));
        }
    }
    return out;
}

plan::Slice randomSlice(const OneTensor& file, int axis, std::mt19937& random) {
    plan::Slice slice;
    slice.axis = axis;
    const std::int64_t step = axis == 1 ? blockLayout(file.tensor.dtype).values : 1;
    const std::int64_t steps = axis < 0 ? 1 : file.tensor.shape[axis] / step;
    std::uniform_int_distribution<std::int64_t> choose(0, steps - 1);
    const std::int64_t a = choose(random);
    const std::int64_t b = choose(random);
    slice.begin = std::min(a, b) * step;
    slice.end = (std::max(a, b) + 1) * step;
    return slice;
}

}  // namespace

TEST(PartReader, GathersEverySliceOfEveryTypeAsItIsInTheFile) {
    std::mt19937 random(7);
    for (int type = 0; type < kDTypeCount; ++type) {
        const auto dtype = static_cast<DType>(type);
        const OneTensor file(dtype, {13, 3 * 256});
        for (int round = 0; round < 12; ++round) {
            const plan::Slice slice = randomSlice(file, round % 3 - 1, random);
            const auto list = file.parts(slice);
            ASSERT_TRUE(list) << list.error().message;
            MemorySink sink(list->bytes, round % 2 == 0);
            ReadOptions options;
            options.readers = 1 + round % 3;
            options.windowBytes = 100 + 997 * round;
            ASSERT_TRUE(readParts(*list, file.shards, sink, options));
            const std::string expected = naiveSlice(file, slice);
            ASSERT_EQ(list->storedBytes, static_cast<std::int64_t>(expected.size()));
            EXPECT_EQ(std::memcmp(sink.memory.data(), expected.data(), expected.size()), 0)
                << name(dtype) << " axis " << slice.axis << " [" << slice.begin << ", " << slice.end
                << ")";
        }
    }
}

TEST(PartReader, NeverReadsMoreThanItsWindowAtOnce) {
    const OneTensor file(DType::F32, {64, 256});
    const auto list = file.parts({});
    ASSERT_TRUE(list);
    MemorySink sink(list->bytes, false);
    ReadOptions options;
    options.readers = 2;
    options.windowBytes = 8192;
    ASSERT_TRUE(readParts(*list, file.shards, sink, options));
    EXPECT_EQ(sink.largest, 4096U);
}

TEST(PartReader, ProgressEndsWithEverything) {
    const OneTensor file(DType::F32, {64, 256});
    const auto list = file.parts({});
    MemorySink sink(list->bytes, true);
    Progress last;
    std::int64_t before = 0;
    ReadOptions options;
    options.windowBytes = 4096;
    options.onProgress = [&](const Progress& progress) {
        EXPECT_GT(progress.bytesDone, before);
        before = progress.bytesDone;
        last = progress;
    };
    ASSERT_TRUE(readParts(*list, file.shards, sink, options));
    EXPECT_EQ(last.tensorsDone, 1);
    EXPECT_EQ(last.tensors, 1);
    EXPECT_EQ(last.bytesDone, 65536);
    EXPECT_EQ(last.bytes, 65536);
    EXPECT_EQ(last.file, "one.bin");
}

TEST(PartReader, TruncatedFileIsAnErrorThatNamesFileAndTensor) {
    const OneTensor file(DType::F32, {64, 256});
    const auto list = file.parts({});
    std::filesystem::resize_file(file.shards[0].path, 30000);
    MemorySink sink(list->bytes, true);
    const auto read = readParts(*list, file.shards, sink, {});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(read.error().message.find("tensor w: "), 0U) << read.error().message;
    EXPECT_NE(read.error().message.find("one.bin"), std::string::npos) << read.error().message;
}

TEST(PartReader, StopsBetweenReadsWhenCancelled) {
    const OneTensor file(DType::F32, {64, 256});
    const auto list = file.parts({});
    MemorySink sink(list->bytes, true);
    CancelSource source;
    int reads = 0;
    ReadOptions options;
    options.readers = 1;
    options.windowBytes = 1024;
    options.cancel = source.token();
    options.onProgress = [&](const Progress&) {
        ++reads;
        source.cancel();
    };
    const auto read = readParts(*list, file.shards, sink, options);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(reads, 1);
}

TEST(PartReader, FindsNotANumberAndNamesTheTensor) {
    OneTensor file(DType::F32, {8, 8});
    const float bad = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(file.data.data() + 40, &bad, sizeof(bad));
    file.write();
    const auto list = file.parts({});
    MemorySink sink(list->bytes, true);
    const auto found = readParts(*list, file.shards, sink, {});
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(found->front().code, "non-finite-weights");
    EXPECT_EQ(found->front().tensor, "w");
    EXPECT_EQ(found->front().file, "one.bin");
}

// 0x807F is a small number; two of them read one byte off show 0x7F80, which is infinity.
TEST(PartReader, LooksAtWholeValuesWhateverTheWindow) {
    OneTensor file(DType::BF16, {64, 64});
    for (std::size_t i = 0; i < file.data.size(); ++i)
        file.data[i] = static_cast<char>(i % 2 == 0 ? 0x7F : 0x80);
    file.write();
    const auto list = file.parts({});
    for (const std::int64_t window : {1, 7, 1001, 4097}) {
        MemorySink sink(list->bytes, true);
        ReadOptions options;
        options.readers = 1;
        options.windowBytes = window;
        const auto found = readParts(*list, file.shards, sink, options);
        ASSERT_TRUE(found);
        EXPECT_TRUE(found->empty()) << window;
    }
}

TEST(NonFinite, IsCountedInEveryPlainFloatType) {
    const auto bytes = [](auto word) {
        std::vector<std::byte> out(sizeof(word));
        std::memcpy(out.data(), &word, sizeof(word));
        return out;
    };
    EXPECT_EQ(countNonFinite(DType::F32, bytes(std::uint32_t{0xFF800000})), 1);
    EXPECT_EQ(countNonFinite(DType::F32, bytes(std::uint32_t{0x7F7FFFFF})), 0);
    EXPECT_EQ(countNonFinite(DType::BF16, bytes(std::uint16_t{0x7FC0})), 1);
    EXPECT_EQ(countNonFinite(DType::BF16, bytes(std::uint16_t{0x7F7F})), 0);
    EXPECT_EQ(countNonFinite(DType::F16, bytes(std::uint16_t{0x7C00})), 1);
    EXPECT_EQ(countNonFinite(DType::F16, bytes(std::uint16_t{0x7BFF})), 0);
    EXPECT_EQ(countNonFinite(DType::F64, bytes(std::uint64_t{0x7FF0000000000000})), 1);
    EXPECT_EQ(countNonFinite(DType::I16, bytes(std::uint16_t{0x7FC0})), 0);
}

}  // namespace fl::load
