// SPDX-License-Identifier: Apache-2.0
#include "engine/service/key_proof.h"

#include <gtest/gtest.h>

namespace fl::service {
namespace {

const std::string kKey = "00112233445566778899aabbccddeeff";

// The key and the message of the paper's appendix A: 00 01 … 0f and 00 01 … 0e.
TEST(KeyProof, HashesAsThePaperSays) {
    std::string message;
    for (int i = 0; i < 15; ++i)
        message += static_cast<char>(i);
    EXPECT_EQ(sipHash(0x0706050403020100, 0x0f0e0d0c0b0a0908, message), 0xa129ca6149be45e5u);
}

TEST(KeyProof, DependsOnKeyRoleAndBothNonces) {
    const std::string proof = keyProof(kKey, "rank", "a", "b");
    EXPECT_EQ(proof.size(), 16u);
    EXPECT_EQ(proof, keyProof(kKey, "rank", "a", "b"));
    EXPECT_NE(proof, keyProof("10112233445566778899aabbccddeeff", "rank", "a", "b"));
    EXPECT_NE(proof, keyProof(kKey, "control", "a", "b"));
    EXPECT_NE(proof, keyProof(kKey, "rank", "c", "b"));
    EXPECT_NE(proof, keyProof(kKey, "rank", "a", "c"));
}

TEST(KeyProof, GivesNothingForWhatIsNoKey) {
    EXPECT_EQ(keyProof("", "rank", "a", "b"), "");
    EXPECT_EQ(keyProof(kKey + "0", "rank", "a", "b"), "");
    EXPECT_EQ(keyProof("zz112233445566778899aabbccddeeff", "rank", "a", "b"), "");
}

TEST(KeyProof, MakesKeysThatDiffer) {
    const auto one = randomKey();
    const auto other = randomKey();
    ASSERT_TRUE(one && other);
    EXPECT_NE(*one, *other);
    EXPECT_NE(keyProof(*one, "rank", "a", "b"), "");
}

}  // namespace
}  // namespace fl::service
