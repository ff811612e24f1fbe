// SPDX-License-Identifier: Apache-2.0
// Covers: engine/service/address.cpp
#include "engine/service/connection.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "engine/service/address.h"

namespace fl::service {
namespace {

class ConnectionTest : public testing::Test {
protected:
    ConnectionTest() {
        int fds[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
        peer_.reset(fds[1]);
        connection_.emplace(loop_, UniqueFd(fds[0]),
                            Connection::Handlers{[this](const std::string& body) {
                                                     seen_ += "[" + body + "]";
                                                     if (body == "drop")
                                                         connection_.reset();
                                                     if (body == "last" || body == "drop")
                                                         loop_.stop();
                                                 },
                                                 [this](const std::string& reason) {
                                                     seen_ += "closed:" + reason;
                                                     loop_.stop();
                                                 }});
    }
    void write(const std::string& bytes) {
        EXPECT_EQ(::write(peer_.get(), bytes.data(), bytes.size()),
                  static_cast<ssize_t>(bytes.size()));
    }

    EventLoop loop_;
    UniqueFd peer_;
    std::string seen_;
    std::optional<Connection> connection_;
};

TEST_F(ConnectionTest, HandsOutMessages) {
    write(protocol::frame("a") + protocol::frame("last"));
    loop_.run();
    EXPECT_EQ(seen_, "[a][last]");
}

TEST_F(ConnectionTest, MayBeDestroyedInAHandler) {
    write(protocol::frame("drop") + protocol::frame("b"));
    loop_.run();
    EXPECT_EQ(seen_, "[drop]");
}

TEST_F(ConnectionTest, ReportsAPlainClose) {
    write(protocol::frame("a"));
    peer_.reset();
    loop_.run();
    EXPECT_EQ(seen_, "[a]closed:");
}

TEST_F(ConnectionTest, ReportsACloseInTheMiddleOfAMessage) {
    write("Content-Length: 10\r\n\r\nabc");
    peer_.reset();
    loop_.run();
    EXPECT_EQ(seen_, "closed:closed in the middle of a message");
}

TEST_F(ConnectionTest, ClosesOnGarbage) {
    write("hello\n");
    loop_.run();
    EXPECT_EQ(seen_, "closed:the peer does not speak the protocol: 'hello.' is no header");
}

TEST_F(ConnectionTest, KeepsWhatTheSocketDoesNotTake) {
    const std::string big(std::size_t{4} << 20, 'x');
    connection_->send(big);
    EXPECT_GT(connection_->unsent(), 0u);
    connection_->closeWhenSent();
    std::size_t got = 0;
    std::thread reader([&] {
        std::string buffer(1 << 16, '\0');
        for (ssize_t n = 0; (n = ::read(peer_.get(), buffer.data(), buffer.size())) > 0;)
            got += static_cast<std::size_t>(n);
    });
    loop_.run();
    reader.join();
    EXPECT_EQ(got, big.size());
    EXPECT_EQ(seen_, "closed:");
}

class AddressTest : public testing::Test {
protected:
    AddressTest() { EXPECT_NE(::mkdtemp(folder_.data()), nullptr); }
    ~AddressTest() override { std::filesystem::remove_all(folder_); }
    std::string folder_ = "/tmp/fl-address-XXXXXX";
};

TEST_F(AddressTest, MakesUnixSocketsPrivateAndKnowsThePeer) {
    const std::string address = "unix:" + folder_ + "/s";
    const auto listening = listenOn(address);
    ASSERT_TRUE(listening) << listening.error().message;
    struct stat facts {};
    ASSERT_EQ(::stat((folder_ + "/s").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600u);
    const auto connected = connectTo(address);
    ASSERT_TRUE(connected) << connected.error().message;
    EXPECT_EQ(peerUid(connected->get()), static_cast<long>(::getuid()));
    EXPECT_EQ(peerPid(connected->get()), ::getpid());
}

TEST_F(AddressTest, ChoosesATcpPort) {
    const auto listening = listenOn("tcp:127.0.0.1:0");
    ASSERT_TRUE(listening) << listening.error().message;
    const auto address = boundAddress(*listening, "tcp:127.0.0.1:0");
    ASSERT_TRUE(address);
    EXPECT_NE(*address, "tcp:127.0.0.1:0");
    EXPECT_TRUE(connectTo(*address));
}

TEST_F(AddressTest, ExplainsWhatItCannotDo) {
    EXPECT_NE(connectTo("unix:" + folder_ + "/none").error().message.find("No such file"),
              std::string::npos);
    EXPECT_NE(listenOn("unix:/" + std::string(200, 'x')).error().message.find("XDG_RUNTIME_DIR"),
              std::string::npos);
    EXPECT_EQ(connectTo("http://x").error().message,
              "address 'http://x' is neither unix:/path nor tcp:host:port");
    EXPECT_EQ(connectTo("tcp:host").error().message, "tcp:host lacks a port");
}

}  // namespace
}  // namespace fl::service
