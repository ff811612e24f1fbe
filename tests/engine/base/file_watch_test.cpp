// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file_watch.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "tests/support/temp_dir.h"

namespace fl {

TEST(FileWatch, SeesTheFileWrittenAndReplacedAndNoOther) {
    const test::TempDir folder;
    const std::string path = folder.path() + "/a.lua";
    auto watch = FileWatch::open(path);
    ASSERT_TRUE(watch) << watch.error().message;
    EXPECT_FALSE(watch->changed());
    ASSERT_TRUE(writeFile(folder.path() + "/b.lua", "x"));
    EXPECT_FALSE(watch->changed());
    ASSERT_TRUE(writeFile(path, "x"));  // writes a sibling and renames it
    EXPECT_TRUE(watch->wait({}));
    EXPECT_FALSE(watch->changed()) << "said once";
}

TEST(FileWatch, AWaitEndsWhenItIsCancelled) {
    const test::TempDir folder;
    auto watch = FileWatch::open(folder.path() + "/a.lua");
    ASSERT_TRUE(watch);
    CancelSource source;
    source.cancel();
    EXPECT_FALSE(watch->wait(source.token()));
}

TEST(FileWatch, AFolderThatIsNotThereIsAnError) {
    EXPECT_FALSE(FileWatch::open("/nonexistent/a.lua"));
}

}  // namespace fl
