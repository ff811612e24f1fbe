// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/file_kind.h"

#include <gtest/gtest.h>

#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

std::span<const std::byte> bytesOf(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

FileKind kindOf(std::string_view text) {
    return fileKind(bytesOf(text));
}

TEST(FileKind, TellsFilesByTheirFirstBytes) {
    EXPECT_EQ(kindOf(""), FileKind::Unknown);
    EXPECT_EQ(kindOf(test::ggufBytes({})), FileKind::Gguf);
    EXPECT_EQ(kindOf(test::safetensorsBytes({})), FileKind::Safetensors);
    EXPECT_EQ(kindOf("version https://git-lfs.github.com/spec/v1\n"), FileKind::LfsPointer);
    EXPECT_EQ(kindOf("\n<!doctype HTML>"), FileKind::HtmlPage);
    EXPECT_EQ(kindOf("{\"error\":1}"), FileKind::JsonText);
    EXPECT_EQ(kindOf("Access denied"), FileKind::Text);
    EXPECT_EQ(kindOf("PK\x03\x04"), FileKind::Zip);
    EXPECT_EQ(kindOf("\x1f\x8b\x08"), FileKind::Gzip);
    EXPECT_EQ(kindOf("\x80\x02}q"), FileKind::Pickle);
    EXPECT_EQ(kindOf(std::string(9, '\0')), FileKind::Zeros);
    EXPECT_EQ(kindOf("\xde\xad\xbe\xef \xff and so on"), FileKind::Unknown);
}

TEST(FileKind, GivesAPointerItsOwnRemedy) {
    FindingList findings;
    addForeignFile(findings, "not-gguf", "a.gguf", "GGUF",
                   bytesOf("version https://git-lfs.github.com/spec/v1\noid x\nsize 42\n"));
    addForeignFile(findings, "not-gguf", "b.gguf", "GGUF", bytesOf("<html>"));
    const auto list = findings.take();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].code, "lfs-pointer");
    EXPECT_EQ(list[0].found, "git-lfs pointer, real size 42");
    EXPECT_EQ(list[1].message, "b.gguf is an HTML page, not a GGUF file");
}

}  // namespace
}  // namespace fl::checkpoint
