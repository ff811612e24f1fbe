// SPDX-License-Identifier: Apache-2.0
#include "engine/service/job_place.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/engine/service/scratch.h"

namespace fl::service {
namespace {

namespace fs = std::filesystem;

TEST(JobPlace, RefusesASecondEngineAndNamesTheFirst) {
    const Scratch scratch;
    const auto first = JobPlace::take("job");
    ASSERT_TRUE(first) << first.error().message;
    const auto second = JobPlace::take("job");
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("pid " + std::to_string(::getpid())), std::string::npos)
        << second.error().message;
    EXPECT_TRUE(JobPlace::take("another"));
}

TEST(JobPlace, MakesPrivateFoldersAndRemovesAll) {
    const Scratch scratch;
    std::string shared;
    {
        const auto place = JobPlace::take("job");
        ASSERT_TRUE(place);
        shared = place->sharedFolder();
        for (const std::string& folder :
             {place->folder(), place->sharedFolder(), scratch.path() + "/firstlight"}) {
            struct stat facts {};
            ASSERT_EQ(::stat(folder.c_str(), &facts), 0) << folder;
            EXPECT_EQ(facts.st_mode & 0777, 0700u) << folder;
        }
        std::ofstream(place->folder() + "/left") << "x";
    }
    EXPECT_TRUE(scratch.leftovers().empty());
    EXPECT_FALSE(fs::exists(shared));
    EXPECT_FALSE(fs::exists(shared + ".lock"));
}

TEST(JobPlace, ClearsSharedMemoryOfKilledEnginesWhoseJobNeverComesAgain) {
    std::string orphan;
    {
        const Scratch scratch;
        const pid_t child = ::fork();
        if (child == 0) {
            const auto place = JobPlace::take("orphan");
            ::raise(SIGKILL);
        }
        ::waitpid(child, nullptr, 0);
        struct stat facts {};
        ASSERT_EQ(::stat((scratch.path() + "/firstlight").c_str(), &facts), 0);
        orphan = "/dev/shm/firstlight-" + std::to_string(::geteuid()) + "-" +
                 fmt::format("{:x}", facts.st_ino) + "-orphan";
    }
    const Scratch other;
    const auto place = JobPlace::take("living");
    ASSERT_TRUE(place) << place.error().message;
    EXPECT_FALSE(fs::exists(orphan));
    EXPECT_FALSE(fs::exists(orphan + ".lock"));
    EXPECT_TRUE(JobPlace::take("another"));
    EXPECT_TRUE(fs::exists(place->sharedFolder()));
}

TEST(JobPlace, ClearsUpBehindAnEngineThatWasKilled) {
    const Scratch scratch;
    const pid_t child = ::fork();
    if (child == 0) {
        const auto place = JobPlace::take("job");
        std::ofstream(place->socket()) << "stale";
        ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    EXPECT_FALSE(scratch.leftovers().empty());
    EXPECT_TRUE(runningJobs()->empty());
    const auto place = JobPlace::take("job");
    ASSERT_TRUE(place) << place.error().message;
    EXPECT_FALSE(fs::exists(place->socket()));
}

TEST(JobPlace, ListsWhatRuns) {
    const Scratch scratch;
    const auto a = JobPlace::take("a");
    const auto b = JobPlace::take("b");
    const auto running = runningJobs();
    ASSERT_TRUE(running);
    ASSERT_EQ(running->size(), 2u);
    EXPECT_EQ((*running)[0].job, "a");
    EXPECT_EQ((*running)[0].pid, ::getpid());
    EXPECT_EQ((*running)[1].socket, *jobSocket("b"));
}

TEST(JobPlace, RefusesNamesThatAreNone) {
    for (const std::string& name : {std::string(), std::string("a/b"), std::string(".x"),
                                    std::string("ü"), std::string(41, 'a')})
        EXPECT_FALSE(checkJobName(name)) << name;
    EXPECT_TRUE(checkJobName("SmolLM2-135M_a.1"));
}

}  // namespace
}  // namespace fl::service
