// SPDX-License-Identifier: Apache-2.0
#include "engine/base/paths.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl {
namespace {

// Sets a variable of the environment for one scope.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name))
            old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() {
        if (old_)
            ::setenv(name_, old_->c_str(), 1);
        else
            ::unsetenv(name_);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> old_;
};

TEST(Paths, FollowTheXdgVariables) {
    const Variable data("XDG_DATA_HOME", "/x/data");
    const Variable state("XDG_STATE_HOME", "/x/state");
    EXPECT_EQ(dataDir(), "/x/data/firstlight");
    EXPECT_EQ(stateDir(), "/x/state/firstlight");
}

TEST(Paths, FallBackToTheHomeFolder) {
    const Variable home("HOME", "/home/me");
    const Variable config("XDG_CONFIG_HOME", "");
    const Variable cache("XDG_CACHE_HOME", "relative/is/ignored");
    EXPECT_EQ(configDir(), "/home/me/.config/firstlight");
    EXPECT_EQ(cacheDir(), "/home/me/.cache/firstlight");
}

TEST(Paths, FindTheResourcesBesideTheProgram) {
    EXPECT_TRUE(std::filesystem::exists(programDir()));
    {
        const Variable unset("FIRSTLIGHT_RESOURCES", "");
        EXPECT_EQ(resourcesDir(), programDir() + "/../share/firstlight");
    }
    const Variable set("FIRSTLIGHT_RESOURCES", "/opt/r");
    EXPECT_EQ(resourcesDir(), "/opt/r");
}

TEST(Paths, MakeARuntimeFolderOfOurOwn) {
    const test::TempDir folder;
    const Variable runtime("XDG_RUNTIME_DIR", folder.path());
    const auto path = runtimeDir();
    ASSERT_TRUE(path) << path.error().message;
    EXPECT_EQ(*path, folder / "firstlight");
    struct stat facts {};
    ASSERT_EQ(::stat(path->c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0700U);
    // Closed again if it was open to others.
    ASSERT_EQ(::chmod(path->c_str(), 0755), 0);
    ASSERT_TRUE(runtimeDir());
    ASSERT_EQ(::stat(path->c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0700U);
}

TEST(Paths, RefuseARuntimeFolderThatIsNone) {
    const test::TempDir folder;
    const Variable runtime("XDG_RUNTIME_DIR", folder.path());
    const std::string path = test::writeTo(folder.path(), "firstlight", "a file");
    EXPECT_EQ(runtimeDir().error().message, path + " is not a folder: remove it");
    std::filesystem::remove(path);
    std::filesystem::create_directory_symlink("/tmp", path);
    EXPECT_FALSE(runtimeDir());
}

}  // namespace
}  // namespace fl
