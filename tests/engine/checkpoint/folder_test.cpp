// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/folder.h"

#include <gtest/gtest.h>

#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

using Names = std::vector<std::string>;

// What is chosen in a folder that has these (empty) files.
Result<FolderFiles> chosenOf(const Names& names) {
    const test::TempDir folder;
    for (const std::string& name : names)
        test::writeTo(folder.path(), name, "");
    return lookThrough(folder.path());
}

TEST(Folder, PrefersAnIndexThenTheWholeThenOtherFiles) {
    auto files = chosenOf({"model.safetensors", "model.safetensors.index.json", "a.gguf"});
    EXPECT_EQ(files->kind, FolderFiles::Kind::Index);
    EXPECT_EQ(files->indexFile, "model.safetensors.index.json");
    files = chosenOf({"other.safetensors", "model.safetensors", "pytorch_model.bin"});
    EXPECT_EQ(files->files, Names{"model.safetensors"});
    EXPECT_EQ(files->others, Names{"other.safetensors"});
    files = chosenOf({"b.safetensors", "a.safetensors", "consolidated.safetensors"});
    EXPECT_EQ(files->files, (Names{"a.safetensors", "b.safetensors"}));
    EXPECT_EQ(files->others, Names{"consolidated.safetensors"});
    files = chosenOf({"consolidated.safetensors"});
    EXPECT_EQ(files->files, Names{"consolidated.safetensors"});
    files = chosenOf({"x.gguf", "pytorch_model.bin"});
    EXPECT_EQ(files->kind, FolderFiles::Kind::Gguf);
    files = chosenOf({"pytorch_model.bin", "training_args.bin"});
    EXPECT_EQ(files->kind, FolderFiles::Kind::Pickle);
    EXPECT_EQ(files->files.size(), 2U);
}

TEST(Folder, AsksWhichOfSeveralGgufModels) {
    const auto parts = chosenOf({"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"});
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->files.size(), 2U);
    const auto several = chosenOf({"m-Q4_0.gguf", "m-Q8_0.gguf"});
    ASSERT_FALSE(several);
    EXPECT_NE(several.error().message.find("2 GGUF models, name one of them: m-Q4_0.gguf, "
                                           "m-Q8_0.gguf"),
              std::string::npos);
}

TEST(Folder, SaysThatThereIsNoCheckpoint) {
    const auto none = chosenOf({"README.md"});
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->files.empty());
    EXPECT_EQ(none->names, Names{"README.md"});
    EXPECT_EQ(lookThrough("/nowhere").error().code, ErrorCode::Io);
}

std::string missingOf(const Names& names) {
    FindingList findings;
    checkNumbers(names, {}, findings);
    std::string out;
    for (const Finding& finding : findings.take()) {
        for (const std::string& file : finding.examples)
            out += file + " ";
    }
    return out;
}

TEST(Folder, CountsNumberedFiles) {
    EXPECT_EQ(missingOf({"m-00001-of-00002.safetensors", "m-00002-of-00002.safetensors"}), "");
    EXPECT_EQ(missingOf({"m-00000-of-00001.safetensors", "m-00001-of-00001.safetensors"}), "");
    EXPECT_EQ(missingOf({"m-1-of-3.safetensors"}), "m-2-of-3.safetensors m-3-of-3.safetensors ");
    EXPECT_EQ(missingOf({"a.safetensors", "-of-.safetensors", "x-of-3.safetensors"}), "");
}

TEST(Folder, CountsNoFileThatSomebodyElseMisses) {
    FindingList findings;
    checkNumbers({"m-1-of-3.safetensors", "m-2-of-3.safetensors"}, {"m-3-of-3.safetensors"},
                 findings);
    EXPECT_TRUE(findings.empty());
    checkNumbers({"m-1-of-4.safetensors", "m-2-of-4.safetensors", "m-3-of-4.safetensors"}, {},
                 findings);
    const auto list = findings.take();
    ASSERT_EQ(test::codes(list), "shard-missing");
    EXPECT_EQ(list[0].expected, "4 files");
    EXPECT_EQ(list[0].found, "3");
}

TEST(Folder, KnowsAFileUnderAnotherName) {
    EXPECT_EQ(lookAlike({"Model-1.safetensors", "b"}, "model-1.safetensors"),
              "Model-1.safetensors");
    EXPECT_EQ(lookAlike({"m.safetensors.incomplete"}, "m.safetensors"), "m.safetensors.incomplete");
    EXPECT_EQ(lookAlike({"m.safetensors", "other"}, "m.safetensors"), "");
}

TEST(Folder, NamesWhatDownloadersLeave) {
    EXPECT_EQ(leftoverKind("m.safetensors.aria2"), "control file of a downloader");
    EXPECT_EQ(leftoverKind("m.gguf.part"), "unfinished download");
    EXPECT_EQ(leftoverKind("notes.part"), "");
    FindingList findings;
    checkLeftovers({"a.safetensors", "a.safetensors.aria2", "b.safetensors.incomplete"}, findings);
    const auto list = findings.take();
    ASSERT_EQ(test::codes(list), "download-leftover");
    EXPECT_EQ(list[0].file, "a.safetensors.aria2");
    EXPECT_EQ(list[0].severity, Severity::Warning);
}

}  // namespace
}  // namespace fl::checkpoint
