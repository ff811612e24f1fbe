// SPDX-License-Identifier: Apache-2.0
#include "engine/service/supervisor.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/core.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/protocol/codec.h"
#include "engine/service/clock.h"
#include "engine/service/control_address.h"
#include "engine/service/host_name.h"
#include "engine/service/key_proof.h"

namespace fl::service {

namespace {

constexpr double kLookSeconds = 0.25;
constexpr double kSettleSeconds = 0.05;
constexpr std::array<std::string_view, 8> kPhases = {"starting",  "mpi",   "device",  "groups",
                                                     "preflight", "ready", "loading", "loaded"};

// Phases are passed in order; "serving" is behind all of them, "failed" and "lost" before.
int order(std::string_view phase) {
    if (phase == "serving")
        return static_cast<int>(kPhases.size());
    const auto found = std::find(kPhases.begin(), kPhases.end(), phase);
    return found == kPhases.end() ? -1 : static_cast<int>(found - kPhases.begin());
}

// mpirun --tag-output writes "[1,3]<stderr>:text" for what rank 3 of job 1 says.
struct Tagged {
    int rank = -1;
    std::string text;
};

Tagged untag(const std::string& line) {
    const auto comma = line.find(',');
    const auto bracket = line.find(']');
    const auto colon = line.find(">:");
    if (!line.starts_with('[') || comma == std::string::npos || bracket == std::string::npos ||
        colon == std::string::npos || comma > bracket || bracket > colon)
        return {-1, line};
    const auto rank = parseInteger(std::string_view(line).substr(comma + 1, bracket - comma - 1));
    if (!rank)
        return {-1, line};
    return {static_cast<int>(*rank), line.substr(colon + 2)};
}

// " on a, b" where a job spans machines.
std::string onHosts(const std::vector<protocol::RankState>& states,
                    const std::vector<int>& ranks,
                    bool spansNodes) {
    std::vector<std::string> hosts;
    for (const int rank : ranks) {
        const std::string& host = states[static_cast<std::size_t>(rank)].host;
        if (!host.empty() && std::find(hosts.begin(), hosts.end(), host) == hosts.end())
            hosts.push_back(host);
    }
    return spansNodes && !hosts.empty() ? " on " + join(hosts, ", ") : "";
}

std::string rankList(const std::vector<int>& ranks) {
    std::string out = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i)
        out += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    return out;
}

// The launcher draws lines around its own messages.
bool isRule(const std::string& text) {
    return text.find_first_not_of("-=* ") == std::string::npos;
}

std::vector<std::string> otherHosts(const TeamRequest& request) {
    std::vector<std::string> out;
    for (const std::string& host : std::set(request.hosts.begin(), request.hosts.end())) {
        if (!isThisHost(host))
            out.push_back(host);
    }
    return out;
}

}  // namespace

struct Supervisor::Watch {
    double lastSign = 0;  // steady; 0: not joined yet
    double leftAt = 0;    // steady; 0: its link stands
    std::int64_t samplesDropped = 0;
    bool hasExit = false;
    protocol::RankExit exit;

    std::string cause() const {
        return exit.memoryLimit > 0 ? "killed by the kernel for want of memory"
                                    : text(ExitStatus{exit.code, exit.signal});
    }
};

Supervisor::Supervisor(EventLoop& loop,
                       const JobPlace& place,
                       SupervisorOptions options,
                       Handlers handlers)
    : loop_(loop),
      place_(place),
      options_(std::move(options)),
      handlers_(std::move(handlers)) {
    if (options_.program.empty())
        options_.program = programDir() + "/firstlightd";
}

Supervisor::~Supervisor() {
    for (const auto timer : {silence_, patience_, verdict_})
        loop_.cancel(timer);
    killRanks();
}

bool Supervisor::known(int rank) const {
    return rank >= 0 && static_cast<std::size_t>(rank) < ranks_.size();
}

Status Supervisor::start(const TeamRequest& request) {
    ranks_.assign(static_cast<std::size_t>(request.ranks), {});
    watches_.assign(ranks_.size(), {});
    nameHosts(request);
    stopping_ = false;
    lastLine_.clear();
    FL_TRY(key_, randomKey());
    FL_DO(listen(request));
    FL_DO(spawn(request));
    startedAt_ = lastLookAt_ = steadyTime();
    loop_.cancel(silence_);
    silence_ = loop_.every(kLookSeconds, [this] { lookForSilence(); });
    for (const protocol::RankState& state : ranks_)
        handlers_.changed(state);
    return Done{};
}

void Supervisor::nameHosts(const TeamRequest& request) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        ranks_[i].rank = static_cast<int>(i);
        if (i < request.hosts.size())
            ranks_[i].host = request.hosts[i];
    }
}

// TCP is opened only where ranks of other machines need it.
Status Supervisor::listen(const TeamRequest& request) {
    std::vector<std::string> addresses = {"unix:" + place_.folder() + "/link"};
    const auto others = otherHosts(request);
    spansNodes_ = !others.empty();
    if (spansNodes_) {
        FL_TRY(const auto tcp, controlAddresses(others, request.controlAddress));
        addresses.insert(addresses.end(), tcp.begin(), tcp.end());
    }
    auto link = RankLinkServer::listen(
        loop_, addresses, key_,
        {[this](const protocol::RankHello& hello) { joined(hello); },
         [this](int rank, const std::string& method, const Json& params) {
             take(rank, method, params);
         },
         [this](int rank, const std::string&) { left(rank); },
         [this](const protocol::RankExit& exit) { exited(exit); },
         [this](const std::string& reason) {
             handlers_.log({unixTime(), -1, "warning", "link", "refused: " + reason});
         }});
    // NotFound is for a launcher that is not there.
    if (!link)
        return Error{ErrorCode::Io, link.error().message};
    link_ = std::move(*link);
    link_->setJob(request.job);
    if (spansNodes_)
        handlers_.log({unixTime(), -1, "info", "link",
                       "ranks of other nodes reach this process at " +
                           join({link_->addresses().begin() + 1, link_->addresses().end()}, ", ")});
    return Done{};
}

protocol::RankTicket Supervisor::ticket() const {
    protocol::RankTicket out;
    out.host = ownHost();
    out.local = link_->addresses().front();
    out.addresses.assign(link_->addresses().begin() + 1, link_->addresses().end());
    out.key = key_;
    return out;
}

Status Supervisor::spawn(const TeamRequest& request) {
    MpiRequest mpi;
    mpi.launcher = options_.launcher;
    mpi.program = options_.program;
    mpi.variables = {protocol::kTicketVariable};
    mpi.sharedFolder = place_.sharedFolder();
    mpi.ranks = request.ranks;
    mpi.hosts = request.hosts;
    FL_TRY(const auto command, mpiCommand(mpi));
    // The launcher keeps files of its own where TMPDIR says: ours to remove, and on other nodes
    // theirs.
    FL_TRY(launcher_,
           ChildProcess::start(
               loop_, command,
               {"TMPDIR=" + place_.folder(),
                fmt::format("{}={}", protocol::kTicketVariable, protocol::encode(ticket()).dump())},
               {[this](const std::string& line) { takeLine(line); },
                [this](const ExitStatus& status) { launcherEnded(status); }}));
    return Done{};
}

void Supervisor::joined(const protocol::RankHello& hello) {
    if (!known(hello.rank))
        return;
    protocol::RankState& state = ranks_[static_cast<std::size_t>(hello.rank)];
    state.pid = hello.pid;
    state.host = hello.host;
    state.seconds = steadyTime() - startedAt_;
    watches_[static_cast<std::size_t>(hello.rank)].lastSign = steadyTime();
    handlers_.changed(state);
    if (stopping_)  // it came too late to hear the others being sent away
        send(hello.rank, protocol::link::kShutdown, Json::object());
}

void Supervisor::take(int rank, const std::string& method, const Json& params) {
    if (!known(rank))
        return;
    watches_[static_cast<std::size_t>(rank)].lastSign = steadyTime();
    if (method == protocol::link::kHeartbeat)
        takeHeartbeat(rank, params);
    else if (method == protocol::link::kPhase)
        takePhase(rank, params);
    else if (method == protocol::link::kLog)
        takeLog(rank, params);
    else
        handlers_.message(rank, method, params);
}

void Supervisor::takePhase(int rank, const Json& params) {
    const auto phase = protocol::decode<protocol::RankPhase>(params);
    if (!phase)
        return;
    protocol::RankState& state = ranks_[static_cast<std::size_t>(rank)];
    state.phase = phase->phase;
    state.seconds = steadyTime() - startedAt_;
    handlers_.changed(state);
    handlers_.phase(*phase);
}

void Supervisor::takeHeartbeat(int rank, const Json& params) {
    const auto beat = protocol::decode<protocol::RankHeartbeat>(params);
    if (!beat)
        return;
    protocol::RankState& state = ranks_[static_cast<std::size_t>(rank)];
    state.seconds = steadyTime() - startedAt_;
    // Collectives of a running model come by the thousand; one that lasts is worth showing.
    const std::string shown =
        beat->inside && beat->insideSeconds > kHeartbeatSeconds ? beat->collective : "";
    Watch& watch = watches_[static_cast<std::size_t>(rank)];
    if (watch.samplesDropped != beat->samplesDropped) {
        watch.samplesDropped = beat->samplesDropped;
        handlers_.dropped(rank, watch.samplesDropped);
    }
    if (state.collective == shown)
        return;
    state.collective = shown;
    handlers_.changed(state);
}

void Supervisor::takeLog(int rank, const Json& params) {
    auto line = protocol::decode<protocol::LogLine>(params);
    if (!line)
        return;
    line->rank = rank;
    ranks_[static_cast<std::size_t>(rank)].lastLine = line->text;
    handlers_.log(*line);
}

void Supervisor::takeLine(const std::string& line) {
    Tagged tagged = untag(line);
    if (tagged.text.empty() || takeFinding(tagged.rank, tagged.text))
        return;
    if (known(tagged.rank))
        ranks_[static_cast<std::size_t>(tagged.rank)].lastLine = tagged.text;
    if (!isRule(tagged.text))
        lastLine_ = tagged.text;
    handlers_.log({unixTime(), known(tagged.rank) ? tagged.rank : -1, "info", "mpi", tagged.text});
}

// The last words of a rank that has no link.
bool Supervisor::takeFinding(int rank, const std::string& line) {
    if (!known(rank) || !line.starts_with(protocol::kFindingMark))
        return false;
    const auto json = Json::parse(std::string_view(line).substr(protocol::kFindingMark.size()));
    const auto finding = json ? protocol::decode<Finding>(*json) : Result<Finding>(json.error());
    if (finding)
        handlers_.phase({rank, "failed", steadyTime() - startedAt_, {*finding}});
    return finding.has_value();
}

void Supervisor::left(int rank) {
    if (!known(rank) || stopping_)
        return;
    Watch& watch = watches_[static_cast<std::size_t>(rank)];
    watch.leftAt = steadyTime();
    if (watch.hasExit)
        return declareLost(rank, watch.cause(), watch.exit.signal, watch.leftAt);
    if (verdict_ != 0)
        return;  // another one left before: this is its consequence
    verdict_ = loop_.after(options_.watcherSeconds, [this, rank] {
        declareLost(rank, "its process ended without a word", 0,
                    watches_[static_cast<std::size_t>(rank)].leftAt);
    });
}

void Supervisor::exited(const protocol::RankExit& exit) {
    if (!known(exit.rank) || stopping_)
        return;
    Watch& watch = watches_[static_cast<std::size_t>(exit.rank)];
    watch.hasExit = true;
    watch.exit = exit;
    // A rank that never joined has no link that could end; one that did is waited for, so that its
    // last lines are read.
    if (watch.lastSign == 0 || watch.leftAt != 0)
        declareLost(exit.rank, watch.cause(), exit.signal,
                    watch.leftAt != 0 ? watch.leftAt : steadyTime());
}

// A process that was stopped itself, or a laptop that slept, must not find everybody else silent.
void Supervisor::lookForSilence() {
    const double now = steadyTime();
    const bool wasAway = now - lastLookAt_ > 4 * kLookSeconds;
    lastLookAt_ = now;
    for (std::size_t i = 0; i < watches_.size() && !stopping_; ++i) {
        Watch& watch = watches_[i];
        if (wasAway && watch.lastSign != 0)
            watch.lastSign = now;
        if (watch.lastSign == 0 || watch.leftAt != 0)
            continue;
        const double silent = now - watch.lastSign;
        if (silent > options_.silenceSeconds)
            declareLost(static_cast<int>(i), fmt::format("silent for {:.1f} s", silent), 0,
                        watch.lastSign);
    }
}

void Supervisor::declareLost(int rank, const std::string& cause, int signal, double since) {
    if (stopping_)
        return;
    stopping_ = true;
    protocol::RankState& state = ranks_[static_cast<std::size_t>(rank)];
    protocol::RankLost lost;
    lost.rank = rank;
    lost.host = state.host;
    lost.stage = stage_;
    lost.cause = cause;
    lost.signal = signal;
    lost.lastLine = state.lastLine.empty()
                        ? fmt::format("nothing was logged yet, in phase '{}'", state.phase)
                        : state.lastLine;
    lost.collective = state.collective;
    lost.seconds = since - startedAt_;
    lost.noticedSeconds = steadyTime() - since;
    lost.memoryLimit = watches_[static_cast<std::size_t>(rank)].exit.memoryLimit;
    lost.limitOf = watches_[static_cast<std::size_t>(rank)].exit.limitOf;
    state.phase = "lost";
    handlers_.changed(state);
    handlers_.lost(lost);
    kill();
}

void Supervisor::stop() {
    if (!running())
        return;
    stopping_ = true;
    if (patience_ != 0)
        return;
    broadcast(protocol::link::kShutdown, Json::object());
    patience_ = loop_.after(options_.goodbyeSeconds, [this] {
        launcher_->signalGroup(SIGTERM);
        patience_ = loop_.after(options_.goodbyeSeconds, [this] { kill(); });
    });
}

void Supervisor::kill() {
    if (!running())
        return;
    stopping_ = true;
    killRanks();
    // The launcher sees its ranks gone and cleans up after itself; if it does not, it goes too.
    loop_.cancel(patience_);
    patience_ = loop_.after(options_.goodbyeSeconds, [this] { launcher_->signalGroup(SIGKILL); });
}

// The launcher passes SIGKILL on to nobody, and a stopped rank hears nothing else. Ranks of other
// machines are left to their launcher.
void Supervisor::killRanks() const {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        const protocol::RankState& state = ranks_[i];
        if (state.pid > 0 && watches_[i].leftAt == 0 && state.host == ownHost())
            ::kill(static_cast<pid_t>(state.pid), SIGKILL);
    }
    if (launcher_)
        launcher_->signalGroup(SIGTERM);
}

// What ranks and watchers said last may still lie in their sockets.
void Supervisor::launcherEnded(const ExitStatus& status) {
    loop_.after(kSettleSeconds, [this, status] { finish(status); });
}

// The rank whose end ended the launcher, if one did.
int Supervisor::firstGone() const {
    int first = -1;
    for (std::size_t i = 0; i < watches_.size(); ++i) {
        const double at = watches_[i].leftAt;
        if (at != 0 && (first < 0 || at < watches_[static_cast<std::size_t>(first)].leftAt))
            first = static_cast<int>(i);
    }
    return first;
}

void Supervisor::finish(const ExitStatus& status) {
    if (const int rank = firstGone(); rank >= 0 && !stopping_)
        declareLost(rank, "its process ended without a word", 0, steadyTime());
    const std::string reason =
        stopping_ ? ""
                  : fmt::format("{} ended with {}{}{}", options_.launcher, text(status),
                                lastLine_.empty() ? "" : ": ", lastLine_);
    stopping_ = true;
    for (const auto timer : {silence_, patience_, verdict_})
        loop_.cancel(timer);
    silence_ = patience_ = verdict_ = 0;
    killRanks();
    launcher_.reset();
    link_.reset();
    removeLeftovers();
    for (protocol::RankState& state : ranks_) {
        state.collective.clear();
        if (state.phase != "lost")
            state.phase = "stopped";
        handlers_.changed(state);
    }
    handlers_.ended(reason);
}

void Supervisor::removeLeftovers() const {
    std::error_code ignored;  // what stays is removed with its folder at the end
    for (const std::string& folder : {place_.folder(), place_.sharedFolder()}) {
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
            std::filesystem::remove_all(entry.path(), ignored);
    }
}

void Supervisor::send(int rank, std::string_view method, const Json& params) {
    if (link_)
        link_->send(rank, method, params);
}

void Supervisor::broadcast(std::string_view method, const Json& params) {
    if (link_)
        link_->broadcast(method, params);
}

bool Supervisor::all(std::string_view phase) const {
    return std::all_of(ranks_.begin(), ranks_.end(), [phase](const protocol::RankState& state) {
        return order(state.phase) >= order(phase);
    });
}

std::string Supervisor::missing(std::string_view phase) const {
    std::vector<int> absent;
    std::map<std::string, std::vector<int>> waiting;
    for (const protocol::RankState& state : ranks_) {
        if (order(state.phase) >= order(phase))
            continue;
        if (state.pid == 0)
            absent.push_back(state.rank);
        else
            waiting[state.phase].push_back(state.rank);
    }
    std::vector<std::string> parts;
    if (!absent.empty())
        parts.push_back(rankList(absent) + onHosts(ranks_, absent, spansNodes_) +
                        " did not come up");
    for (const auto& [where, ranks] : waiting)
        parts.push_back(rankList(ranks) + onHosts(ranks_, ranks, spansNodes_) + " got to '" +
                        where + "' only");
    return join(parts, "; ");
}

}  // namespace fl::service
