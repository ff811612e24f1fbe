// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file_reader.h"

#include <array>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl {
namespace {

TEST(FileReader, ReadsARangeByPosition) {
    const test::TempDir folder;
    const auto file = FileReader::open(test::writeTo(folder.path(), "a", "abcdef"));
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->bytes(), 6);
    std::array<std::byte, 3> out{};
    ASSERT_TRUE(file->read(2, out));
    EXPECT_EQ(out[0], std::byte{'c'});
    EXPECT_EQ(out[2], std::byte{'e'});
    EXPECT_TRUE(file->read(6, {}));
}

TEST(FileReader, CountsWhatIsMissingBehindTheEnd) {
    const test::TempDir folder;
    const std::string path = test::writeTo(folder.path(), "a", "abcdef");
    const auto file = FileReader::open(path);
    ASSERT_TRUE(file);
    std::array<std::byte, 4> out{};
    EXPECT_EQ(file->read(4, out).error().message,
              path + " ends 2 B before byte 8, which was asked for");
}

TEST(FileReader, SaysThatAFileHasShrunk) {
    const test::TempDir folder;
    const std::string path = test::writeTo(folder.path(), "a", "abcdef");
    const auto file = FileReader::open(path);
    ASSERT_TRUE(file);
    ASSERT_EQ(::truncate(path.c_str(), 3), 0);
    std::array<std::byte, 4> out{};
    const Status read = file->read(1, out);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(read.error().message,
              path + " ends 2 B before byte 5, it has shrunk since it was opened");
}

TEST(FileReader, NamesBadLinks) {
    const test::TempDir folder;
    const std::string link = folder / "link";
    ASSERT_EQ(::symlink("nowhere", link.c_str()), 0);
    EXPECT_EQ(FileReader::open(link).error().message, link + " is a link to nothing");
    const std::string loop = folder / "loop";
    ASSERT_EQ(::symlink("loop", loop.c_str()), 0);
    EXPECT_EQ(FileReader::open(loop).error().message, loop + " is a loop of links");
}

}  // namespace
}  // namespace fl
