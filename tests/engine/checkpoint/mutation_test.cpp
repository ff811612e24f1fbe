// SPDX-License-Identifier: Apache-2.0
// Thousands of damaged files: the readers answer every one of them with findings or a checkpoint.
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "engine/checkpoint/census.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/tensor_reader.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
    return random() % limit;
}

// One to four changes, mostly in the header: a byte, a flipped bit, a run of one value, bytes put
// in or taken out, a cut.
std::string damaged(std::string bytes, std::size_t headerBytes, Random& random) {
    const std::size_t changes = 1 + below(random, 4);
    for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
        const std::size_t range = below(random, 8) == 0 ? bytes.size() : headerBytes;
        const std::size_t at = below(random, std::min(range, bytes.size()));
        const std::size_t length = std::min(1 + below(random, 9), bytes.size() - at);
        const auto byte = static_cast<char>(random());
        switch (below(random, 6)) {
            case 0:
                bytes[at] = byte;
                break;
            case 1:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
                break;
            case 2:
                bytes.replace(at, length, length, below(random, 2) == 0 ? '\xff' : '\0');
                break;
            case 3:
                bytes.insert(at, length, byte);
                break;
            case 4:
                bytes.erase(at, length);
                break;
            default:
                if (below(random, 4) == 0)
                    bytes.resize(at);
                break;
        }
    }
    return bytes;
}

// What is believed must be true of the file.
void expectSound(const Checkpoint& checkpoint, unsigned round) {
    for (const Finding& finding : checkpoint.findings) {
        EXPECT_FALSE(finding.code.empty()) << round;
        EXPECT_FALSE(finding.message.empty()) << round;
    }
    census(checkpoint.inventory);
    for (const TensorInfo& tensor : checkpoint.inventory.tensors()) {
        EXPECT_GE(tensor.bytes, 0) << round;
        EXPECT_GT(tensor.offset, 0) << round;
        if (!hasErrors(checkpoint.findings)) {
            EXPECT_TRUE(readBytes(checkpoint, tensor)) << round;
        }
    }
}

void damageAndOpen(const std::string& whole, std::size_t headerBytes, const std::string& name) {
    constexpr unsigned kRounds = 2500;
    const test::TempDir folder;
    Random random(20'240'517);
    int withErrors = 0;
    for (unsigned round = 0; round < kRounds; ++round) {
        const std::string path =
            test::writeTo(folder.path(), name, damaged(whole, headerBytes, random));
        const auto checkpoint = openCheckpoint(path);
        if (!checkpoint)
            continue;
        expectSound(*checkpoint, round);
        withErrors += hasErrors(checkpoint->findings) ? 1 : 0;
    }
    // Not a reader that accepts everything.
    EXPECT_GT(withErrors, static_cast<int>(kRounds / 2));
}

TEST(Mutation, OfSafetensorsNeverEndsTheReader) {
    const std::vector<test::TinyTensor> tensors = {
        test::patternTensor("model.embed_tokens.weight", DType::BF16, {8, 4}),
        test::patternTensor("model.norm.weight", DType::F32, {4}),
        test::patternTensor("lm_head.weight", DType::F16, {8, 4})};
    damageAndOpen(test::safetensorsBytes(tensors), 8 + test::safetensorsHeader(tensors).size(),
                  "m.safetensors");
}

TEST(Mutation, OfGgufNeverEndsTheReader) {
    test::TinyGguf file;
    file.pairs = {test::ggufString("general.architecture", "llama"),
                  test::ggufU32("llama.block_count", 2),
                  test::ggufF32("llama.rope.freq_base", 10000),
                  test::ggufBool("tokenizer.ggml.add_bos_token", true),
                  test::ggufStrings("tokenizer.ggml.tokens", {"a", "b", "ab"}),
                  test::ggufI32s("tokenizer.ggml.token_type", {1, 1, 1})};
    file.tensors = {test::patternTensor("token_embd.weight", DType::Q8_0, {4, 32}),
                    test::patternTensor("blk.0.ffn_down.weight", DType::Q6_K, {1, 256}),
                    test::patternTensor("output_norm.weight", DType::F32, {3})};
    const std::string bytes = test::ggufBytes(file);
    std::size_t dataBytes = 0;
    for (const test::TinyTensor& tensor : file.tensors)
        dataBytes += (tensor.data.size() + 31) / 32 * 32;
    damageAndOpen(bytes, bytes.size() - dataBytes, "m.gguf");
}

TEST(Mutation, OfAnIndexNeverEndsTheReader) {
    const test::TempDir folder;
    test::writeHubFolder(
        folder.path(),
        {test::patternTensor("a", DType::F32, {2}), test::patternTensor("b", DType::F32, {2})}, 2);
    constexpr std::string_view kIndex = "model.safetensors.index.json";
    const std::string whole = *readFile(folder / kIndex);
    Random random(7);
    for (unsigned round = 0; round < 500; ++round) {
        test::writeTo(folder.path(), kIndex, damaged(whole, whole.size(), random));
        const auto checkpoint = openCheckpoint(folder.path());
        ASSERT_TRUE(checkpoint);
        expectSound(*checkpoint, round);
    }
}

}  // namespace
}  // namespace fl::checkpoint
