// SPDX-License-Identifier: Apache-2.0
#include "engine/base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace fl {
namespace {

int openNull() {
    return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}
bool isOpen(int fd) {
    return ::fcntl(fd, F_GETFD) != -1;
}

TEST(UniqueFd, ClosesWhatItOwns) {
    const int fd = openNull();
    {
        const UniqueFd owner(fd);
        EXPECT_TRUE(owner);
        EXPECT_EQ(owner.get(), fd);
    }
    EXPECT_FALSE(isOpen(fd));
    EXPECT_FALSE(UniqueFd{});
}

TEST(UniqueFd, MovesAndReleases) {
    UniqueFd first(openNull());
    const int fd = first.get();
    UniqueFd second(std::move(first));
    EXPECT_EQ(second.get(), fd);
    const int other = openNull();
    UniqueFd third(other);
    third = std::move(second);
    EXPECT_FALSE(isOpen(other));
    EXPECT_EQ(third.release(), fd);
    EXPECT_FALSE(third);
    EXPECT_TRUE(isOpen(fd));
    third.reset(fd);
    third.reset();
    EXPECT_FALSE(isOpen(fd));
}

}  // namespace
}  // namespace fl
