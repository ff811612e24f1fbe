// SPDX-License-Identifier: Apache-2.0
#include "engine/base/log.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "tests/support/temp_dir.h"

namespace fl::log {
namespace {

// Collects lines while it lives, and puts the log back as it was at start.
class Log : public ::testing::Test {
protected:
    void SetUp() override {
        setStderr(false);
        setSink([this](const Line& line) { lines_.push_back(line); });
    }
    void TearDown() override {
        setSink({});
        setLevel(Level::Info);
        setStderr(true);
        EXPECT_TRUE(openFile("/dev/null"));
    }
    std::vector<Line> lines_;
};

TEST_F(Log, GivesLinesWithCategoryAndTime) {
    info("load", "read {} in {:.2f} s", "a.gguf", 1.5);
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_EQ(lines_[0].text, "read a.gguf in 1.50 s");
    EXPECT_EQ(lines_[0].category, "load");
    EXPECT_EQ(lines_[0].level, Level::Info);
    EXPECT_GT(lines_[0].unixSeconds, 1.5e9);
}

TEST_F(Log, DropsLinesBelowItsLevel) {
    debug("x", "quiet");
    setLevel(Level::Debug);
    debug("x", "heard");
    setLevel(Level::Error);
    warning("x", "quiet");
    error("x", "heard");
    setLevel(Level::Off);
    error("x", "quiet");
    ASSERT_EQ(lines_.size(), 2U);
    EXPECT_EQ(lines_[0].text, "heard");
    EXPECT_EQ(lines_[1].level, Level::Error);
}

TEST_F(Log, NamesItsLevels) {
    for (const Level level : {Level::Debug, Level::Info, Level::Warning, Level::Error, Level::Off})
        EXPECT_EQ(*levelFromName(name(level)), level);
    EXPECT_EQ(levelFromName("loud").error().message,
              "'loud' is no log level (debug, info, warning, error, off)");
}

TEST_F(Log, AppendsEveryLineToItsFileAtOnce) {
    const test::TempDir folder;
    ASSERT_TRUE(openFile(folder / "log"));
    info("rank", "first {{}}");
    const std::string one = *readFile(folder / "log");
    EXPECT_NE(one.find("info rank: first {}\n"), std::string::npos) << one;
    ASSERT_TRUE(openFile(folder / "log"));
    warning("rank", "second");
    const std::string two = *readFile(folder / "log");
    EXPECT_NE(two.find("first"), std::string::npos);
    EXPECT_NE(two.find("warning rank: second\n"), std::string::npos) << two;
}

TEST_F(Log, SaysThatAFileCannotBeOpened) {
    const test::TempDir folder;
    // A folder in the place of the file.
    const Status opened = openFile(folder.path());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::Io);
    EXPECT_NE(opened.error().message.find(folder.path()), std::string::npos);
}

TEST_F(Log, GoesOnWhenTheDiskIsFull) {
    ASSERT_TRUE(openFile("/dev/full"));
    for (int i = 0; i < 3; ++i)
        info("x", "line {}", i);
    // The three, and once that the file is given up.
    ASSERT_EQ(lines_.size(), 4U);
    const auto givenUp = std::count_if(lines_.begin(), lines_.end(), [](const Line& line) {
        return line.level == Level::Warning && line.text.starts_with("the log file is given up");
    });
    EXPECT_EQ(givenUp, 1);
}

TEST_F(Log, TakesLinesFromManyThreads) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([] {
            for (int j = 0; j < 100; ++j)
                info("x", "{}", j);
        });
    }
    threads.clear();  // joins
    EXPECT_EQ(lines_.size(), 400U);
}

}  // namespace
}  // namespace fl::log
