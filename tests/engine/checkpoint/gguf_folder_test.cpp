// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/gguf_folder.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {

static void writePart(const test::TempDir& folder, const char* name, int number, int count) {
    test::TinyGguf file;
    file.pairs = {test::ggufString("general.architecture", "llama"),
                  test::ggufU16("split.no", static_cast<std::uint16_t>(number)),
                  test::ggufU16("split.count", static_cast<std::uint16_t>(count))};
    test::writeTo(folder.path(), name, test::ggufBytes(file));
}

TEST(GgufFolder, AWholeModelBesideItsPartsIsLeftOutWithANote) {
    const auto chosen =
        chosenGguf("", {"tiny-00001-of-00002.gguf", "tiny-00002-of-00002.gguf", "tiny.gguf"});
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->files.size(), 2U);
    ASSERT_EQ(chosen->notes.size(), 1U);
    EXPECT_EQ(chosen->notes[0].file, "tiny.gguf");
    EXPECT_EQ(chosen->notes[0].severity, Severity::Warning);
}

TEST(GgufFolder, PartsThatNumberThemselvesAreTakenInThatOrder) {
    const test::TempDir folder;
    writePart(folder, "a.gguf", 1, 2);
    writePart(folder, "b.gguf", 0, 2);
    const auto chosen = chosenGguf(folder.path(), {"a.gguf", "b.gguf"});
    ASSERT_TRUE(chosen) << chosen.error().message;
    EXPECT_EQ(chosen->files, (std::vector<std::string>{"b.gguf", "a.gguf"}));
    ASSERT_EQ(chosen->notes.size(), 1U);
    EXPECT_EQ(chosen->notes[0].file, "b.gguf");
    EXPECT_NE(chosen->notes[0].expected.find("-00001-of-00002.gguf"), std::string::npos);
}

TEST(GgufFolder, SeveralModelsAreAnErrorThatListsThem) {
    const test::TempDir folder;
    writePart(folder, "a.gguf", 0, 2);
    writePart(folder, "b.gguf", 0, 2);
    const auto chosen = chosenGguf(folder.path(), {"a.gguf", "b.gguf"});
    ASSERT_FALSE(chosen);
    EXPECT_NE(chosen.error().message.find("a.gguf, b.gguf"), std::string::npos);
}

}  // namespace fl::checkpoint
