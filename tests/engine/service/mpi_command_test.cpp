// SPDX-License-Identifier: Apache-2.0
#include "engine/service/mpi_command.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace fl::service {
namespace {

// What follows an option on the command line; empty where it is not given.
std::string after(const std::vector<std::string>& command, const std::string& option) {
    const auto found = std::find(command.begin(), command.end(), option);
    return found == command.end() ? "" : *(found + 1);
}

MpiRequest request() {
    MpiRequest out;
    out.launcher = "sh";  // is everywhere
    out.program = "/opt/firstlightd";
    out.ranks = 4;
    return out;
}

TEST(MpiCommand, NamesTheMachineOfEveryRankInOrder) {
    MpiRequest asked = request();
    asked.hosts = {"b", "a", "b", "a"};
    const auto command = mpiCommand(asked);
    ASSERT_TRUE(command);
    EXPECT_EQ(after(*command, "-n"), "4");
    EXPECT_EQ(after(*command, "--host"), "b,a,b,a");
    EXPECT_EQ(after(*command, "--map-by"), "seq");
}

TEST(MpiCommand, LeavesThePlaceToTheLauncherOnOneMachine) {
    const auto command = mpiCommand(request());
    ASSERT_TRUE(command);
    EXPECT_EQ(after(*command, "--host"), "");
    EXPECT_EQ(after(*command, "--map-by"), "");
    EXPECT_EQ(after(*command, "/opt/firstlightd"), "--rank");
}

TEST(MpiCommand, SaysWhatToInstallWhereThereIsNoLauncher) {
    MpiRequest asked = request();
    asked.launcher = "no-such-launcher";
    const auto command = mpiCommand(asked);
    ASSERT_FALSE(command);
    EXPECT_EQ(command.error().code, ErrorCode::NotFound);
    EXPECT_NE(command.error().message.find("openmpi-bin"), std::string::npos);
}

}  // namespace
}  // namespace fl::service
