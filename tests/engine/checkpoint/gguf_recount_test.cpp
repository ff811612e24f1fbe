// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/gguf_recount.h"

#include <cstring>

#include <gtest/gtest.h>

#include "engine/checkpoint/checkpoint.h"
#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {

static std::string goodFile() {
    test::TinyGguf file;
    file.pairs = {test::ggufString("general.architecture", "llama"),
                  test::ggufU32("llama.block_count", 2),
                  test::ggufStrings("tokenizer.ggml.tokens", {"a", "b c"})};
    file.tensors = {test::patternTensor("a.weight", DType::F32, {4, 8}),
                    test::patternTensor("b.weight", DType::Q8_0, {3, 32}),
                    test::patternTensor("c.weight", DType::F16, {5})};
    return test::ggufBytes(file);
}

static std::optional<GgufCounts> recounted(std::uint64_t tensors, std::uint64_t pairs) {
    const std::string bytes = goodFile();
    return recountGguf(std::as_bytes(std::span(bytes)), {tensors, pairs});
}

TEST(GgufRecount, RightCountsNeedNoCorrection) {
    EXPECT_FALSE(recounted(3, 3));
}

TEST(GgufRecount, OneWrongCountIsFoundFromTheOther) {
    const GgufCounts right{3, 3};
    for (const std::uint64_t wrong : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{4},
                                      std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
        EXPECT_EQ(recounted(wrong, 3), right) << wrong;
        EXPECT_EQ(recounted(3, wrong), right) << wrong;
    }
}

TEST(GgufRecount, AFileThatDoesNotFitAnyCountIsLeftToItsReader) {
    std::string bytes = goodFile();
    bytes.resize(bytes.size() - 40);
    EXPECT_FALSE(recountGguf(std::as_bytes(std::span(bytes)), {2, 3}));
    for (std::size_t size = 0; size < 200; ++size)
        EXPECT_FALSE(recountGguf(std::as_bytes(std::span(bytes)).first(size), {3, 3}));
}

TEST(GgufRecount, TheRestIsReadByTheRightCounts) {
    const test::TempDir folder;
    std::string bytes = goodFile();
    const std::uint64_t claimed = 2;
    std::memcpy(bytes.data() + 8, &claimed, sizeof claimed);
    const auto checkpoint = openCheckpoint(test::writeTo(folder.path(), "m.gguf", bytes));
    ASSERT_TRUE(checkpoint);
    const Finding finding = test::findCode(checkpoint->findings, "gguf-count");
    EXPECT_EQ(finding.key, "tensor_count");
    EXPECT_EQ(finding.expected, "3");
    EXPECT_EQ(finding.found, "2");
    EXPECT_EQ(checkpoint->inventory.size(), 3U);
}

}  // namespace fl::checkpoint
