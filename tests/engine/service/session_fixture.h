// SPDX-License-Identifier: Apache-2.0
// A control process in this program, with ranks that have no model (fake_rank).
#pragma once

#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "app/linked_plugins.h"
#include "engine/base/paths.h"
#include "engine/protocol/names.h"
#include "engine/service/address.h"
#include "engine/service/client.h"
#include "engine/service/session.h"
#include "tests/engine/service/scratch.h"

namespace fl::service {

namespace event = protocol::event;
namespace method = protocol::method;

inline std::string tinyModel() {
    return std::string(std::getenv("FIRSTLIGHT_TEST_DATA")) + "/models/tiny-llama";
}

class SessionTest : public testing::Test {
protected:
    SessionTest() {
        ::unsetenv("FAKE_RANK");
        options_.plugins = app::linkedPlugins();
        options_.ranks.program = programDir() + "/fake_rank";
        options_.ranks.launcher = options_.ranks.program;
        options_.ranks.silenceSeconds = 1;
    }
    ~SessionTest() override { end(); }

    void begin() {
        auto place = JobPlace::take("test");
        ASSERT_TRUE(place) << place.error().message;
        place_.emplace(std::move(*place));
        session_.emplace(loop_, *place_, options_);
        const Status listening = session_->listen();
        ASSERT_TRUE(listening) << listening.error().message;
        thread_ = std::thread([this] { loop_.run(); });
    }
    void end() {
        if (thread_.joinable()) {
            loop_.post([this] { session_->shutdown(); });
            thread_.join();
        }
        session_.reset();
        place_.reset();
    }

    std::unique_ptr<Client> connect() {
        auto client = Client::connect(*jobSocket("test"), "test", CancelToken());
        EXPECT_TRUE(client) << client.error().message;
        return client ? std::move(*client) : nullptr;
    }

    static protocol::OpenRequest openRequest(const std::string& until, int tp = 2) {
        protocol::OpenRequest request;
        request.settings.checkpoint = tinyModel();
        request.settings.cluster = "cpu:cards=2,memory=256MiB,threads=1";
        request.settings.tp = tp;
        request.settings.pp = 1;
        request.until = until;
        return request;
    }

    // The first event that `wanted` accepts; what came before is kept in `seen_`.
    Json waitFor(Client& client,
                 std::string_view name,
                 const std::function<bool(const Json& data)>& wanted) {
        for (;;) {
            const auto event = client.nextEvent(60);
            if (!event || !*event) {
                ADD_FAILURE() << "waited in vain for " << name;
                return Json();
            }
            seen_.push_back((*event)->event);
            if ((*event)->event == name && wanted((*event)->data))
                return (*event)->data;
        }
    }
    Json waitForStage(Client& client, const std::string& stage, const std::string& state) {
        return waitFor(client, event::kStageChanged, [&](const Json& data) {
            return data["stage"].string() == stage && data["state"].string() == state;
        });
    }
    Json waitForDone(Client& client, const std::string& request) {
        return waitFor(client, event::kChatDone,
                       [&](const Json& data) { return data["request"].string() == request; });
    }
    void bringUp(Client& client, const std::string& stage = "load") {
        ASSERT_TRUE(client.call(method::kJobOpen, openRequest(stage)));
        waitForStage(client, stage, "passed");
    }
    static protocol::ChatRequest chat(const std::string& name, const std::vector<int>& ids) {
        protocol::ChatRequest request;
        request.request = name;
        request.ids = ids;
        return request;
    }
    static std::string messageOf(const Result<Json>& result) {
        return result ? "" : result.error().message;
    }

    Scratch scratch_;
    SessionOptions options_;
    EventLoop loop_;
    std::optional<JobPlace> place_;
    std::optional<Session> session_;
    std::thread thread_;
    std::vector<std::string> seen_;
};

}  // namespace fl::service
