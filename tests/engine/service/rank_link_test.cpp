// SPDX-License-Identifier: Apache-2.0
// Covers: engine/service/rank_link_client.cpp engine/service/rank_link_server.cpp
#include "engine/service/rank_link.h"

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/service/address.h"
#include "engine/service/host_name.h"

namespace fl::service {
namespace {

const std::string kKey = "00112233445566778899aabbccddeeff";

// What happened, in words, from any thread; tests wait for words instead of sleeping.
class Diary {
public:
    void write(const std::string& line) {
        const std::lock_guard lock(mutex_);
        text_ += line + "\n";
        changed_.notify_all();
    }
    bool waitFor(const std::string& part) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(20),
                                 [&] { return text_.find(part) != std::string::npos; });
    }
    std::string text() {
        const std::lock_guard lock(mutex_);
        return text_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string text_;
};

// A control process's end with a loop of its own.
class Control {
public:
    explicit Control(const std::string& address, const std::string& key = kKey) {
        auto server = RankLinkServer::listen(
            loop_, {address}, key,
            {[this](const protocol::RankHello& hello) {
                 diary.write("joined " + std::to_string(hello.rank));
             },
             [this](int rank, const std::string& method, const Json& params) {
                 diary.write(std::to_string(rank) + " " + method + " " + params.dump());
             },
             [this](int rank, const std::string&) { diary.write("left " + std::to_string(rank)); },
             [this](const protocol::RankExit& exit) {
                 diary.write("exit " + std::to_string(exit.rank) + " signal " +
                             std::to_string(exit.signal));
             },
             [this](const std::string& reason) { diary.write("refused " + reason); }});
        EXPECT_TRUE(server) << server.error().message;
        server_ = std::move(*server);
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Control() { stop(); }
    void stop() {
        if (!thread_.joinable())
            return;
        loop_.post([this] { server_.reset(); });
        loop_.stop();
        thread_.join();
    }
    void broadcast(std::string_view method) {
        loop_.post([this, method] { server_->broadcast(method, Json::object()); });
    }
    // Unix sockets are for this host, TCP is for others.
    protocol::RankTicket ticket() const {
        protocol::RankTicket out;
        const std::string& address = server_->addresses().front();
        const bool local = address.starts_with("unix:");
        out.host = local ? ownHost() : "elsewhere";
        (local ? out.local : out.addresses.emplace_back()) = address;
        out.key = kKey;
        return out;
    }

    Diary diary;

private:
    EventLoop loop_;
    std::unique_ptr<RankLinkServer> server_;
    std::thread thread_;
};

class RankLink : public testing::Test {
protected:
    RankLink() { EXPECT_NE(::mkdtemp(folder_.data()), nullptr); }
    ~RankLink() override { std::filesystem::remove_all(folder_); }

    std::string address() const { return "unix:" + folder_ + "/link"; }
    auto connect(const protocol::RankTicket& ticket, int rank) {
        return RankLinkClient::connect(
            ticket, rank, [this](const std::string& method, const Json&) { heard_.write(method); },
            [] {
                protocol::RankHeartbeat beat;
                beat.collective = "all_reduce #1";
                return beat;
            });
    }

    std::string folder_ = "/tmp/fl-link-XXXXXX";
    Diary heard_;
};

TEST_F(RankLink, CarriesMessagesBothWaysAndHeartbeats) {
    Control control(address());
    auto client = connect(control.ticket(), 3);
    ASSERT_TRUE(client) << client.error().message;
    (*client)->send(protocol::link::kPhase, protocol::RankPhase{3, "ready", 1, {}});
    EXPECT_TRUE(control.diary.waitFor("joined 3"));
    EXPECT_TRUE(control.diary.waitFor(R"(3 rank.phase {"rank":3,"phase":"ready")"));
    EXPECT_TRUE(control.diary.waitFor("3 rank.heartbeat"));
    EXPECT_TRUE(control.diary.waitFor("all_reduce #1"));
    control.broadcast(protocol::link::kLoadStart);
    EXPECT_TRUE(heard_.waitFor("load.start"));
    EXPECT_FALSE((*client)->closed());
}

TEST_F(RankLink, TellsTheControlProcessAtOnceThatARankHasGone) {
    Control control(address());
    {
        auto client = connect(control.ticket(), 1);
        ASSERT_TRUE(client);
        (*client)->send(protocol::link::kLog, Json::object());
    }
    EXPECT_TRUE(control.diary.waitFor("left 1"));
    EXPECT_NE(control.diary.text().find("1 rank.log"), std::string::npos);
}

TEST_F(RankLink, ShutsTheRankDownWhenTheControlProcessGoes) {
    Control control(address());
    auto client = connect(control.ticket(), 0);
    ASSERT_TRUE(client);
    EXPECT_TRUE((*client)->awaitRoom());
    control.stop();
    EXPECT_TRUE(heard_.waitFor("shutdown"));
    EXPECT_TRUE((*client)->closed());
    EXPECT_FALSE((*client)->awaitRoom());
    (*client)->send(protocol::link::kLog, Json::object());
}

TEST_F(RankLink, WorksOverTcp) {
    Control control("tcp:127.0.0.1:0");
    auto client = connect(control.ticket(), 5);
    ASSERT_TRUE(client) << client.error().message;
    EXPECT_TRUE(control.diary.waitFor("joined 5"));
}

TEST_F(RankLink, RefusesARankThatDoesNotKnowTheKey) {
    Control control(address());
    protocol::RankTicket ticket = control.ticket();
    ticket.key = "ff112233445566778899aabbccddeeff";
    const auto client = connect(ticket, 0);
    ASSERT_FALSE(client);
    EXPECT_TRUE(control.diary.waitFor("refused it does not know the key of this job"));
    EXPECT_EQ(control.diary.text().find("joined"), std::string::npos);
}

TEST_F(RankLink, RefusesAControlProcessThatDoesNotKnowTheKey) {
    const auto listening = listenOn(address());
    ASSERT_TRUE(listening);
    std::thread impostor([&] {
        UniqueFd peer;
        while (!peer)
            peer.reset(::accept(listening->get(), nullptr, nullptr));
        const auto say = [&peer](const std::string& body) {
            const std::string framed = protocol::frame(body);
            EXPECT_EQ(::write(peer.get(), framed.data(), framed.size()),
                      static_cast<ssize_t>(framed.size()));
        };
        say(R"({"jsonrpc":"2.0","method":"link.challenge","params":{"nonce":"a"}})");
        say(R"({"jsonrpc":"2.0","method":"link.welcome","params":{"proof":"0000000000000000"}})");
        char byte = 0;
        while (::read(peer.get(), &byte, 1) > 0) {
        }
    });
    protocol::RankTicket ticket;
    ticket.host = ownHost();
    ticket.local = address();
    ticket.key = kKey;
    const auto client = connect(ticket, 0);
    ASSERT_FALSE(client);
    EXPECT_NE(client.error().message.find("does not know the key"), std::string::npos);
    impostor.join();
}

TEST_F(RankLink, RefusesASecondRankOfOneNumber) {
    Control control(address());
    const auto first = connect(control.ticket(), 2);
    ASSERT_TRUE(first);
    EXPECT_FALSE(connect(control.ticket(), 2));
    EXPECT_TRUE(control.diary.waitFor("refused rank 2 is here already"));
    EXPECT_FALSE((*first)->closed());
}

TEST_F(RankLink, RefusesGarbage) {
    Control control(address());
    const auto socket = connectTo(address());
    ASSERT_TRUE(socket);
    EXPECT_EQ(::write(socket->get(), "GET /", 5), 5);
    EXPECT_TRUE(control.diary.waitFor("refused the peer does not speak the protocol"));
}

TEST_F(RankLink, LetsAWatcherReportHowARankEnded) {
    Control control(address());
    auto watcher = RankLinkClient::connectWatcher(control.ticket(), 4);
    ASSERT_TRUE(watcher) << watcher.error().message;
    (*watcher)->send(protocol::link::kExit, protocol::RankExit{4, 99, 0, 9, 0, ""});
    watcher->reset();
    EXPECT_TRUE(control.diary.waitFor("exit 4 signal 9"));
    EXPECT_EQ(control.diary.text().find("joined"), std::string::npos);
}

}  // namespace
}  // namespace fl::service
