// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_reporter.h"

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/service/host_name.h"

namespace fl::service {
namespace {

const std::string kKey = "00112233445566778899aabbccddeeff";

// The control process's end: keeps the samples that came and the drops that heartbeats told.
class Listener {
public:
    explicit Listener(const std::string& folder) {
        auto server = RankLinkServer::listen(
            loop_, {"unix:" + folder + "/link"}, kKey,
            {[](const protocol::RankHello&) {},
             [this](int, const std::string& method, const Json& params) { take(method, params); },
             [](int, const std::string&) {}, [](const protocol::RankExit&) {},
             [](const std::string&) {}});
        EXPECT_TRUE(server) << server.error().message;
        server_ = std::move(*server);
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Listener() {
        loop_.post([this] { server_.reset(); });
        loop_.stop();
        thread_.join();
    }

    protocol::RankTicket ticket() const {
        return {ownHost(), server_->addresses().front(), {}, kKey};
    }
    // Until as many samples came or were dropped.
    bool waitFor(std::int64_t count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(30), [&] {
            return static_cast<std::int64_t>(times.size()) + dropped == count;
        });
    }

    std::vector<double> times;  // read after waitFor()
    std::int64_t dropped = 0;

private:
    void take(const std::string& method, const Json& params) {
        const std::lock_guard lock(mutex_);
        if (method == protocol::link::kStep)
            times.push_back(params["time"].number());
        if (method == protocol::link::kHeartbeat)
            dropped = params["samples_dropped"].integer();
        changed_.notify_all();
    }

    EventLoop loop_;
    std::unique_ptr<RankLinkServer> server_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread thread_;
};

class RankReporterTest : public testing::Test {
protected:
    RankReporterTest() { EXPECT_NE(::mkdtemp(folder_.data()), nullptr); }
    ~RankReporterTest() override { std::filesystem::remove_all(folder_); }
    std::string folder_ = "/tmp/fl-reporter-XXXXXX";
    RankInbox inbox_;
};

TEST_F(RankReporterTest, CarriesEverySampleOfTheEngineThreadInOrderOrCountsIt) {
    constexpr int kSteps = 20'000;
    Listener listener(folder_);
    const auto reporter = RankReporter::connect(listener.ticket(), 0, inbox_);
    ASSERT_TRUE(reporter) << reporter.error().message;
    telemetry::StepRecord record;
    for (int i = 0; i < kSteps; ++i) {
        record.time = i;
        (*reporter)->record(record);  // far faster than anybody drains: some find no room
    }
    ASSERT_TRUE(listener.waitFor(kSteps));
    EXPECT_GT(listener.times.size(), 1000U);
    for (std::size_t i = 1; i < listener.times.size(); ++i)
        ASSERT_LT(listener.times[i - 1], listener.times[i]);
}

TEST_F(RankReporterTest, LosesNothingAtTheSpeedOfRealSteps) {
    Listener listener(folder_);
    const auto reporter = RankReporter::connect(listener.ticket(), 0, inbox_);
    ASSERT_TRUE(reporter);
    telemetry::StepRecord record;
    for (int i = 0; i < 500; ++i) {
        record.time = i;
        (*reporter)->record(record);
    }
    ASSERT_TRUE(listener.waitFor(500));
    EXPECT_EQ(listener.dropped, 0);
}

}  // namespace
}  // namespace fl::service
