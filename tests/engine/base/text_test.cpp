// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl {
namespace {

TEST(Text, WritesBytesWithThreeDigitsThatMatter) {
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(1023), "1023 B");
    EXPECT_EQ(formatBytes(1024), "1.00 KiB");
    EXPECT_EQ(formatBytes(917'504), "896 KiB");
    EXPECT_EQ(formatBytes(65'712'999'629), "61.2 GiB");
    EXPECT_EQ(formatBytes(std::int64_t{2} << 50), "2.00 PiB");
    EXPECT_EQ(formatBytes(-2048), "\u22122.00 KiB");
    EXPECT_EQ(formatBytes(INT64_MIN), "\u22128,192 PiB");
}

TEST(Text, GroupsTheDigitsOfCounts) {
    EXPECT_EQ(formatCount(0), "0");
    EXPECT_EQ(formatCount(999), "999");
    EXPECT_EQ(formatCount(1000), "1,000");
    EXPECT_EQ(formatCount(131'072), "131,072");
    EXPECT_EQ(formatCount(-1'234'567), "\u22121,234,567");
    EXPECT_EQ(formatCount(INT64_MIN), "\u22129,223,372,036,854,775,808");
}

TEST(Text, WritesDurationsInTheUnitThatFits) {
    EXPECT_EQ(formatDuration(0.0237), "23.7 ms");
    EXPECT_EQ(formatDuration(0.31), "0.31 s");
    EXPECT_EQ(formatDuration(12.34), "12.3 s");
    EXPECT_EQ(formatDuration(104), "1 min 44 s");
    EXPECT_EQ(formatDuration(7500), "2 h 05 min");
}

TEST(Text, ReadsSizes) {
    EXPECT_EQ(*parseBytes("4096"), 4096);
    EXPECT_EQ(*parseBytes("2GiB"), std::int64_t{2} << 30);
    EXPECT_EQ(*parseBytes("512 MiB"), std::int64_t{512} << 20);
    EXPECT_EQ(*parseBytes("1.5KiB"), 1536);
    for (const char* bad : {"", "GiB", "2GB", "2 GiB ", "-1", "nan", "1e30", "2giB"})
        EXPECT_FALSE(parseBytes(bad)) << bad;
    EXPECT_EQ(parseBytes("2GB").error().message,
              "'2GB' is not a size (a number and one of B, KiB, MiB, GiB, TiB)");
}

TEST(Text, ReadsTimesAndWholeNumbers) {
    EXPECT_DOUBLE_EQ(*parseDuration("200ms"), 0.2);
    EXPECT_DOUBLE_EQ(*parseDuration("2 s"), 2);
    EXPECT_DOUBLE_EQ(*parseDuration("5min"), 300);
    EXPECT_FALSE(parseDuration("5h"));
    EXPECT_EQ(*parseInteger("-12"), -12);
    for (const char* bad : {"", "1.0", "12 ", "+1", "0x10", "99999999999999999999"})
        EXPECT_FALSE(parseInteger(bad)) << bad;
}

TEST(Text, JoinsWhatItSplits) {
    const std::vector<std::string> parts = {"a", "", "b"};
    EXPECT_EQ(join(parts, ","), "a,,b");
    EXPECT_EQ(split("a,,b", ','), parts);
    EXPECT_EQ(split("", ','), std::vector<std::string>{""});
    EXPECT_EQ(join({}, ","), "");
}

TEST(Text, FindsInvalidUtf8) {
    EXPECT_EQ(utf8Fault("a\u00e4\u6a21\U0001f642"), std::string::npos);
    EXPECT_EQ(utf8Fault(""), std::string::npos);
    const std::pair<const char*, std::size_t> cases[] = {
        {"a\xff", 1},        {"\xc3\x28", 0},     {"ab\xe9", 2},           {"\xc0\x80", 0},
        {"\xe0\x80\x80", 0}, {"\xed\xa0\x80", 0}, {"\xf4\x90\x80\x80", 0}, {"\xf0\x80\x80\x80", 0},
        {"x\xe6\xa8", 1},    {"\x80", 0}};
    for (const auto& [text, fault] : cases)
        EXPECT_EQ(utf8Fault(text), fault) << text;
}

TEST(Text, NamesTheNearestWords) {
    const std::vector<std::string> words = {"memory", "name", "devices", "mesh"};
    EXPECT_EQ(nearest("memry", words), " (nearest: memory)");
    EXPECT_EQ(nearest("dev", words), " (nearest: devices)");
    EXPECT_EQ(nearest("xyzzy", words), "");
}

TEST(Text, OrdersNamesAsPeopleCount) {
    EXPECT_TRUE(naturalLess("layers.2.a", "layers.10.a"));
    EXPECT_FALSE(naturalLess("layers.10.a", "layers.2.a"));
    EXPECT_TRUE(naturalLess("a", "a.b"));
    EXPECT_FALSE(naturalLess("a.1", "a.1"));
    EXPECT_TRUE(naturalLess("blk.9", "output"));
}

TEST(Text, ReadsAndWritesWholeFiles) {
    const test::TempDir folder;
    const std::string path = folder / "file";
    ASSERT_TRUE(writeFile(path, std::string("a\0b", 3)));
    ASSERT_TRUE(writeFile(path, "second"));
    EXPECT_EQ(*readFile(path), "second");
    // Nothing is left beside it.
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Text, RefusesFilesItShouldNotRead) {
    const test::TempDir folder;
    EXPECT_EQ(readFile(folder / "none").error().code, ErrorCode::NotFound);
    EXPECT_EQ(readFile(folder.path()).error().message, folder.path() + " is not a regular file");
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(readFile(pipe).error().message, pipe + " is not a regular file");
    const std::string path = test::writeTo(folder.path(), "large", std::string(100, 'x'));
    EXPECT_EQ(readFile(path, 99).error().message,
              path + " has 100 B, more than the 99 B allowed for it");
}

TEST(Text, KeepsTheOldFileWhenWritingFails) {
    const test::TempDir folder;
    EXPECT_FALSE(writeFile(folder / "no/such/folder/file", "x"));
    EXPECT_EQ(writeFile("/dev/full/x", "x").error().code, ErrorCode::Io);
}

}  // namespace
}  // namespace fl
