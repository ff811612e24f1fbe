// SPDX-License-Identifier: Apache-2.0
// A rank without a model, and a launcher without MPI, for tests of the control process. Called as
// mpirun is called ("-n N … PROGRAM --rank") it starts N ranks of PROGRAM and, like mpirun,
// ends all when one fails. As a rank it goes through all phases, answers requests by echoing their
// ids, and misbehaves as FAKE_RANK says: "1:kill:ready" (rank, what, phase).
//
//     kill   dies of SIGKILL      exit   leaves with code 3      stop   stops itself (SIGSTOP)
//     hang   goes no further      fail   reports a finding       mute   never connects
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/link_messages.h"
#include "engine/protocol/names.h"
#include "engine/service/rank_link.h"
#include "engine/service/rank_watcher.h"

namespace {

using namespace fl;
namespace link = protocol::link;

std::vector<pid_t> started;  // for the signal handler

int launch(int count, char** command) {
    ::signal(SIGTERM, [](int) {
        for (const pid_t pid : started)
            ::kill(pid, SIGKILL);
    });
    for (int rank = 0; rank < count; ++rank) {
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::signal(SIGTERM, SIG_DFL);
            ::setenv("OMPI_COMM_WORLD_RANK", std::to_string(rank).c_str(), 1);
            ::execv(command[0], command);
            ::_exit(127);
        }
        started.push_back(pid);
    }
    int code = 0;
    for (std::size_t left = started.size(); left > 0; --left) {
        int status = 0;
        while (::wait(&status) < 0 && errno == EINTR) {
        }
        if (status != 0 && code == 0) {
            code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
            for (const pid_t pid : started)
                ::kill(pid, SIGKILL);
        }
    }
    return code;
}

class Rank {
public:
    Rank(const protocol::RankTicket& ticket, int number) : ticket_(ticket), number_(number) {
        const char* plan = std::getenv("FAKE_RANK");
        const auto parts = split(plan != nullptr ? plan : "", ':');
        if (parts.size() == 3 && parts[0] == std::to_string(number)) {
            what_ = parts[1];
            when_ = parts[2];
        }
    }

    int run() {
        if (what_ == "mute")
            return wait();
        auto link = service::RankLinkClient::connect(
            ticket_, number_,
            [this](const std::string& method, const Json& params) { put(method, params); },
            [] { return protocol::RankHeartbeat(); });
        if (!link) {
            fmt::print(stderr, "fake rank: {}\n", link.error().message);
            return 4;
        }
        link_ = std::move(*link);
        fmt::print(stderr, "rank {} says hello\n", number_);
        link_->send(link::kLog, protocol::LogLine{0, number_, "info", "fake", "here I am"});
        for (const char* phase : {"mpi", "device", "groups", "preflight", "ready"})
            reach(phase);
        return serve();
    }

private:
    static int wait() {
        for (;;)
            ::pause();
    }

    void put(const std::string& method, const Json& params) {
        const std::lock_guard lock(mutex_);
        inbox_.emplace_back(method, params);
        arrived_.notify_all();
    }

    std::pair<std::string, Json> take() {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return !inbox_.empty(); });
        auto first = inbox_.front();
        inbox_.pop_front();
        return first;
    }

    void reach(const std::string& phase) {
        if (phase == when_)
            misbehave();
        link_->send(link::kPhase, protocol::RankPhase{number_, phase, 0, {}});
    }

    void misbehave() {
        if (what_ == "kill")
            ::raise(SIGKILL);
        if (what_ == "stop")
            ::raise(SIGSTOP);
        if (what_ == "exit")
            ::_exit(3);
        if (what_ == "fail") {
            Finding finding;
            finding.code = "device-refused";
            finding.stage = "load";
            finding.message = "the card refused";
            finding.rank = number_;
            link_->send(link::kPhase, protocol::RankPhase{number_, "failed", 0, {finding}});
        }
        if (what_ == "fail" || what_ == "hang") {
            while (take().first != link::kShutdown) {
            }
            ::_exit(0);
        }
    }

    int serve() {
        for (;;) {
            const auto [method, params] = take();
            if (method == link::kShutdown)
                return 0;
            if (method == link::kLoadStart)
                load();
            if (method == link::kSubmit)
                answer(*protocol::decode<protocol::SubmitRequest>(params));
        }
    }

    void load() {
        reach("loading");
        link_->send(link::kLoad, protocol::LoadProgress{number_, 5, 10, 50, 100, 1e9, "file"});
        reach("loaded");
        reach("serving");
    }

    void answer(const protocol::SubmitRequest& request) {
        protocol::RankTokens out;
        out.request = request.request;
        int sent = 0;
        for (const int id : request.ids) {
            if (when_ == "token" && sent == 2)
                misbehave();
            if (sent++ == request.sampling.maxTokens)
                break;
            out.tokens = {{id, "", -0.5, {}, {}, {}}};
            link_->send(link::kTokens, out);
        }
        out.tokens.clear();
        out.finish = "stop";
        link_->send(link::kTokens, out);
    }

    protocol::RankTicket ticket_;
    int number_;
    std::string what_;
    std::string when_;
    std::unique_ptr<service::RankLinkClient> link_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::pair<std::string, Json>> inbox_;
};

int runRank() {
    const char* text = std::getenv(protocol::kTicketVariable);
    const auto json = Json::parse(text != nullptr ? text : "");
    const auto ticket = protocol::decode<protocol::RankTicket>(json ? *json : Json());
    const int number = service::rankFromEnvironment();
    if (!json || !ticket || number < 0)
        return 2;
    return service::runWatched(*ticket, number, [&] { return Rank(*ticket, number).run(); });
}

}  // namespace

int main(int count, char** arguments) {
    if (count >= 6 && std::string_view(arguments[1]) == "-n")
        return launch(std::atoi(arguments[2]), arguments + count - 2);
    if (count == 2 && std::string_view(arguments[1]) == "--rank")
        return runRank();
    return 2;
}
