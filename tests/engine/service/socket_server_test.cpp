// SPDX-License-Identifier: Apache-2.0
#include "engine/service/socket_server.h"

#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "engine/protocol/codec.h"
#include "engine/protocol/framing.h"
#include "engine/protocol/names.h"
#include "engine/service/address.h"
#include "tests/engine/service/scratch.h"

namespace fl::service {
namespace {

namespace event = protocol::event;

// Counts what a client was sent, by event.
struct Received {
    std::map<std::string, int> events;
    std::int64_t dropped = 0;
    bool closed = false;
};

class SocketServerTest : public testing::Test {
protected:
    void begin(const SocketServer::Limits& limits) {
        auto server =
            SocketServer::listen(loop_, path(),
                                 {[this](ClientId client, const protocol::RpcMessage& message) {
                                      server_->subscribe(client);
                                      server_->reply(client, message.id, Json(7));
                                  },
                                  [this](ClientId) { ++left_; }},
                                 limits);
        ASSERT_TRUE(server) << server.error().message;
        server_ = std::move(*server);
    }
    std::string path() const { return scratch_.path() + "/s"; }

    // A client that is subscribed when this returns.
    UniqueFd join() {
        auto socket = connectTo("unix:" + path());
        EXPECT_TRUE(socket);
        const std::string request = protocol::frameRequest(1, "any", Json::object());
        EXPECT_EQ(::write(socket->get(), request.data(), request.size()),
                  static_cast<ssize_t>(request.size()));
        std::thread waiter([&] {
            char byte = 0;
            EXPECT_EQ(::recv(socket->get(), &byte, 1, MSG_PEEK), 1);
            loop_.stop();
        });
        loop_.run();
        waiter.join();
        return std::move(*socket);
    }

    // Reads with the loop running until `count` facts came or the engine hung up.
    Received read(const UniqueFd& socket, const std::string& fact, int count) {
        Received out;
        std::thread reader([&] {
            protocol::FrameReader frames;
            std::string bytes(1 << 16, '\0');
            while (out.events[fact] < count) {
                const auto got = ::read(socket.get(), bytes.data(), bytes.size());
                if (got <= 0) {
                    out.closed = true;
                    break;
                }
                frames.append({bytes.data(), static_cast<std::size_t>(got)});
                for (auto body = frames.next(); body && *body; body = frames.next())
                    take(**body, out);
            }
            loop_.stop();
        });
        loop_.run();
        reader.join();
        return out;
    }
    static void take(const std::string& body, Received& out) {
        const auto message = protocol::parseRpc(body);
        ASSERT_TRUE(message) << message.error().message;
        if (message->kind != protocol::RpcMessage::Kind::Notification)
            return;
        const auto list = protocol::decode<protocol::EventList>(message->params);
        ASSERT_TRUE(list) << list.error().message;
        for (const protocol::Event& one : list->list) {
            ++out.events[one.event];
            if (one.event == event::kSamplesDropped)
                out.dropped += one.data["count"].integer();
        }
    }
    void publish(std::string_view name, int count, Weight weight, std::size_t size = 100) {
        Json data = Json::object();
        data.set("text", std::string(size, 'x'));
        for (int i = 0; i < count; ++i)
            server_->publish(name, data, weight);
    }

    Scratch scratch_;
    EventLoop loop_;
    std::unique_ptr<SocketServer> server_;
    int left_ = 0;
};

TEST_F(SocketServerTest, KeepsItsSocketPrivate) {
    begin({});
    struct stat facts {};
    ASSERT_EQ(::stat(path().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600u);
    server_.reset();
    EXPECT_NE(::stat(path().c_str(), &facts), 0);
}

TEST_F(SocketServerTest, SendsEventsOnlyToThoseWhoAsked) {
    begin({});
    const auto silent = connectTo("unix:" + path());
    const UniqueFd client = join();
    publish("fact", 3, Weight::Fact);
    EXPECT_EQ(read(client, "fact", 3).events["fact"], 3);
    char byte = 0;
    EXPECT_EQ(::recv(silent->get(), &byte, 1, MSG_DONTWAIT), -1);
}

TEST_F(SocketServerTest, BatchesEvents) {
    begin({});
    const UniqueFd client = join();
    publish("fact", 50, Weight::Fact);
    std::string all(1 << 16, '\0');
    std::thread reader([&] {
        // The reply came first; the batch follows in one piece.
        std::size_t got = 0;
        while (all.find("\"list\"") == std::string::npos || all.find("]}}") == std::string::npos)
            got +=
                static_cast<std::size_t>(::read(client.get(), all.data() + got, all.size() - got));
        loop_.stop();
    });
    loop_.run();
    reader.join();
    std::size_t notifications = 0;
    for (auto at = all.find("\"list\""); at != std::string::npos; at = all.find("\"list\"", at + 1))
        ++notifications;
    EXPECT_EQ(notifications, 1u);
}

TEST_F(SocketServerTest, DropsSamplesOfASlowClientAndNeverFacts) {
    SocketServer::Limits limits;
    limits.unsentBytes = 1000;
    limits.waitingSamples = 100;
    begin(limits);
    const UniqueFd slow = join();
    // Until its socket is full, one batch after the other.
    int samples = 0;
    for (int round = 0; round < 40; ++round) {
        publish("sample", 200, Weight::Sample, 1000);
        publish("fact", 1, Weight::Fact);
        samples += 200;
        loop_.after(limits.batchSeconds + 0.001, [this] { loop_.stop(); });
        loop_.run();
    }
    publish("last", 1, Weight::Fact);
    const Received received = read(slow, "last", 1);
    EXPECT_FALSE(received.closed);
    EXPECT_EQ(received.events.at("fact"), 40);
    EXPECT_GT(received.dropped, 0);
    const auto came = received.events.contains("sample") ? received.events.at("sample") : 0;
    EXPECT_EQ(came + received.dropped, samples);
}

TEST_F(SocketServerTest, LetsGoOfAClientThatDoesNotReadAtAll) {
    SocketServer::Limits limits;
    limits.unsentBytes = 1000;
    limits.waitingBytes = std::size_t{4} << 20;
    begin(limits);
    const UniqueFd deaf = join();
    const UniqueFd fine = join();
    publish("fact", 5000, Weight::Fact, 1000);
    EXPECT_EQ(left_, 2);  // nobody had a chance to read
    EXPECT_EQ(server_->clients(), 0u);
}

}  // namespace
}  // namespace fl::service
