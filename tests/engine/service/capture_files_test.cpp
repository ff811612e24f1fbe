// SPDX-License-Identifier: Apache-2.0
#include "engine/service/capture_files.h"

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "engine/base/base64.h"
#include "engine/service/host_name.h"
#include "tests/support/temp_dir.h"

namespace fl::service {
namespace {

const std::string kKey = "00112233445566778899aabbccddeeff";

std::string contentOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A control process that writes what ranks send of their captures.
class Control {
public:
    Control(std::string folder, const std::string& address) : folder_(std::move(folder)) {
        RankLinkServer::Handlers handlers;
        handlers.joined = [](const protocol::RankHello&) {};
        handlers.left = [](int, const std::string&) {};
        handlers.message = [this](int rank, const std::string& method, const Json& params) {
            take(rank, method, params);
        };
        auto server = RankLinkServer::listen(loop_, {address}, kKey, handlers);
        EXPECT_TRUE(server) << server.error().message;
        server_ = std::move(*server);
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Control() {
        loop_.post([this] { server_.reset(); });
        loop_.stop();
        thread_.join();
    }

    protocol::RankTicket ticket(const std::string& host) const {
        const std::string& address = server_->addresses().front();
        return {host, address, {address}, kKey};
    }
    bool awaitCaptured() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return captured_; });
    }
    int pieces() {
        const std::lock_guard lock(mutex_);
        return pieces_;
    }

private:
    void take(int rank, const std::string& method, const Json& params) {
        const std::lock_guard lock(mutex_);
        if (method == protocol::link::kCapturing) {
            const auto piece = protocol::decode<protocol::CaptureBytes>(params);
            EXPECT_TRUE(piece && takeCaptureBytes(folder_, rank, *piece));
            ++pieces_;
        }
        captured_ = captured_ || method == protocol::link::kCaptured;
        changed_.notify_all();
    }

    std::string folder_;
    EventLoop loop_;
    std::unique_ptr<RankLinkServer> server_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int pieces_ = 0;
    bool captured_ = false;
    std::thread thread_;
};

// More than the link keeps unsent.
std::vector<checkpoint::NamedArray> large() {
    constexpr std::int64_t kValues = 3 << 20;
    std::vector<float> values(kValues);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i);
    return {{"logits", {1, kValues}, std::move(values)}};
}

TEST(CaptureFiles, ArriveWholeFromARankOfAnotherMachine) {
    const test::TempDir folder;
    Control control(folder.path(), "tcp:127.0.0.1:0");
    RankInbox inbox;
    const auto rank = RankReporter::connect(control.ticket("elsewhere"), 5, inbox);
    ASSERT_TRUE(rank) << rank.error().message;
    EXPECT_FALSE((*rank)->sharesFiles());
    const auto arrays = large();
    const protocol::CapturePart part{"c", "/not/here", 0, 2, true};
    ASSERT_TRUE(keepCapture(**rank, part, arrays));
    (*rank)->send(protocol::link::kCaptured, protocol::RankCaptured{5, "c", {}, ""});
    ASSERT_TRUE(control.awaitCaptured());
    EXPECT_GT(control.pieces(), 1);
    EXPECT_TRUE(contentOf(captureFile(folder.path(), 5, 2)) ==
                *checkpoint::safetensorsText("sent", arrays));
}

TEST(CaptureFiles, AreWrittenAtOnceByARankOfTheSameMachine) {
    const test::TempDir folder;
    Control control(folder.path(), "unix:" + folder.path() + "/link");
    RankInbox inbox;
    const auto rank = RankReporter::connect(control.ticket(ownHost()), 0, inbox);
    ASSERT_TRUE(rank) << rank.error().message;
    const std::vector<checkpoint::NamedArray> arrays = {{"embed", {1, 2}, std::vector{1.F, 2.F}}};
    ASSERT_TRUE(keepCapture(**rank, {"c", folder.path(), 0, 0, true}, arrays));
    EXPECT_EQ(contentOf(captureFile(folder.path(), 0, 0)),
              *checkpoint::safetensorsText("kept", arrays));
    EXPECT_EQ(control.pieces(), 0);
}

TEST(CaptureFiles, RefuseWhatIsNoBase64AndFoldersThatAreNotThere) {
    const test::TempDir folder;
    EXPECT_EQ(takeCaptureBytes(folder.path(), 0, {"c", 0, "?"}).error().code, ErrorCode::Corrupt);
    const std::string bytes = encodeBase64(std::as_bytes(std::span("abc", 3)));
    EXPECT_EQ(takeCaptureBytes(folder.path() + "/none", 0, {"c", 0, bytes}).error().code,
              ErrorCode::Io);
}

}  // namespace
}  // namespace fl::service
