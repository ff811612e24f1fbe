// SPDX-License-Identifier: Apache-2.0
#include "engine/base/mapped_file.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t nonZero(std::span<const std::byte> bytes) {
    std::size_t count = 0;
    for (const std::byte byte : bytes)
        count += byte != std::byte{0} ? 1 : 0;
    return count;
}

TEST(MappedFile, ShowsTheBytesOfTheFile) {
    const test::TempDir folder;
    const auto file = MappedFile::open(test::writeTo(folder.path(), "a", "abc"));
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->bytes().size(), 3U);
    EXPECT_EQ(file->bytes()[1], std::byte{'b'});
    EXPECT_TRUE(file->checkIntact());
}

TEST(MappedFile, TakesAnEmptyFile) {
    const test::TempDir folder;
    const auto file = MappedFile::open(test::writeTo(folder.path(), "empty", ""));
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_TRUE(file->bytes().empty());
    EXPECT_TRUE(file->checkIntact());
}

TEST(MappedFile, RefusesWhatIsNoFile) {
    const test::TempDir folder;
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(MappedFile::open(pipe).error().message, pipe + " is a named pipe, not a file");
    EXPECT_EQ(MappedFile::open(folder.path()).error().message,
              folder.path() + " is a folder, not a file");
    EXPECT_EQ(MappedFile::open("/dev/zero").error().message, "/dev/zero is a device, not a file");
    EXPECT_EQ(MappedFile::open(folder / "none").error().code, ErrorCode::NotFound);
}

TEST(MappedFile, TurnsTruncationIntoAnError) {
    const test::TempDir folder;
    const std::string path = test::writeTo(folder.path(), "w", std::string(8 * kPage, 'x'));
    auto file = MappedFile::open(path);
    ASSERT_TRUE(file);
    ASSERT_EQ(::truncate(path.c_str(), kPage), 0);
    EXPECT_EQ(nonZero(file->bytes()), kPage);  // would be SIGBUS without the handler
    const Status intact = file->checkIntact();
    ASSERT_FALSE(intact);
    EXPECT_EQ(intact.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(intact.error().message,
              path + " has shrunk from 32,768 B to 4,096 B while it was read");
}

TEST(MappedFile, StaysBrokenWhenTheFileGrowsBack) {
    const test::TempDir folder;
    const std::string path = test::writeTo(folder.path(), "w", std::string(4 * kPage, 'x'));
    MappedFile moved = *MappedFile::open(path);
    const MappedFile file = std::move(moved);
    ASSERT_EQ(::truncate(path.c_str(), 0), 0);
    EXPECT_EQ(nonZero(file.bytes()), 0U);
    test::writeTo(folder.path(), "w", std::string(4 * kPage, 'y'));
    EXPECT_FALSE(file.checkIntact());
}

TEST(MappedFile, SeesATruncationInsideTheLastPage) {
    const test::TempDir folder;
    const std::string path = test::writeTo(folder.path(), "w", std::string(100, 'x'));
    const auto file = MappedFile::open(path);
    ASSERT_TRUE(file);
    ASSERT_EQ(::truncate(path.c_str(), 50), 0);
    EXPECT_FALSE(file->checkIntact());
}

TEST(MappedFile, KeepsMappingsApart) {
    const test::TempDir folder;
    std::vector<MappedFile> files;
    for (const char* name : {"a", "b", "c"}) {
        auto file =
            MappedFile::open(test::writeTo(folder.path(), name, std::string(2 * kPage, 'x')));
        ASSERT_TRUE(file);
        files.push_back(*std::move(file));
    }
    ASSERT_EQ(::truncate((folder / "b").c_str(), 0), 0);
    for (const MappedFile& file : files)
        nonZero(file.bytes());
    EXPECT_TRUE(files[0].checkIntact());
    EXPECT_FALSE(files[1].checkIntact());
    EXPECT_TRUE(files[2].checkIntact());
    // The place in the list of a broken mapping is clean when it is used again.
    files.erase(files.begin() + 1);
    EXPECT_TRUE(MappedFile::open(folder / "c")->checkIntact());
}

TEST(MappedFileDeathTest, LeavesOtherBusErrorsToThemselves) {
    const test::TempDir folder;
    ASSERT_TRUE(MappedFile::open(test::writeTo(folder.path(), "a", "abc")));
    // Not KilledBySignal: under the address sanitizer its own handler is the old one and exits.
    EXPECT_DEATH(::raise(SIGBUS), "");
}

}  // namespace
}  // namespace fl
