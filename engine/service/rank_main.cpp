// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_main.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/comm/mpi_comm.h"
#include "engine/plan/ledger.h"
#include "engine/protocol/codec.h"
#include "engine/service/clock.h"
#include "engine/service/host_name.h"
#include "engine/service/node_checkpoint.h"
#include "engine/service/rank_finding.h"
#include "engine/service/rank_serving.h"
#include "engine/service/rank_watcher.h"

namespace fl::service {

namespace {

constexpr double kIdleSeconds = 0.25;
constexpr double kProgressSeconds = 0.1;

// The process's own memory ended in the middle of `work`. A finding like any other, where ending
// without a word would be the alternative.
template <class Work>
auto guarded(const Work& work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return outOfHostMemory();
    } catch (const std::system_error&) {
        return outOfHostMemory();  // a thread's stack
    }
}

class Rank {
public:
    Rank(const protocol::RankJob& job, RankInbox& inbox, RankReporter& reporter)
        : job_(job),
          inbox_(inbox),
          reporter_(reporter) {}

    // Forms the team; a failure has been reported.
    bool form(device::PluginRegistry& registry, std::unique_ptr<comm::Messenger> messenger) {
        NodeCheckpoint own = inspectOnNode(job_, inbox_.stopToken());
        if (!own.problems.empty()) {
            // News even where another node has said the same of itself already.
            for (const Finding& finding : own.problems)
                log::error("rank", "{}", text(finding));
            reporter_.phase("failed", std::move(own.problems));
            awaitShutdown();
            return false;
        }
        if (own.inspection.checkpoint == nullptr)
            return false;  // told to leave meanwhile
        auto team = guarded([&] {
            return RankStation::form(job_, std::move(own.inspection), std::move(messenger),
                                     registry, reporter_, inbox_.stopToken());
        });
        if (!team)
            return fail("launch", team.error());
        team_ = *std::move(team);
        reporter_.phase("ready");
        return true;
    }

    // Until the rank has to leave.
    void serve() {
        auto patience = std::make_unique<comm::Patience>(idle_);
        while (!inbox_.stopToken().cancelled()) {
            const bool sleeps = !serving_ || (serving_->leads() && !serving_->hasWork());
            const auto message = inbox_.take(sleeps ? kIdleSeconds : 0);
            if (message)
                take(*message);
            if (!serving_)
                continue;
            const auto worked = guarded([this] { return serving_->turn(); });
            if (!worked) {
                fail("probe", worked.error());
                return unload();
            }
            // Idle followers look for the next step again and again, ever less often.
            if (*worked || message)
                patience = std::make_unique<comm::Patience>(idle_);
            else if (!serving_->leads() && !patience->pause())
                return;
        }
    }

    // After a failure: nothing but the end is awaited.
    void awaitShutdown() {
        while (!inbox_.stopToken().cancelled())
            inbox_.take(kIdleSeconds);
    }

private:
    bool fail(const std::string& stage, const Error& error) {
        unload();
        if (inbox_.stopToken().cancelled())
            return false;  // the others left in the middle of something: no news
        const Finding finding = rankFinding(error, stage);
        log::error("rank", "{}", text(finding));
        reporter_.phase("failed", {finding});
        awaitShutdown();
        return false;
    }

    void take(const RankInbox::Message& message) {
        if (message.method == protocol::link::kLoadStart && !engine_) {
            load();
        } else if (message.method == protocol::link::kLoadCancel && engine_) {
            unload();
            reporter_.phase("ready");
        } else if (serving_ && serving_->leads()) {
            serving_->take(message);
        }
    }

    int ranksOnNode() const {
        const auto& ranks = team_->placement().plan.ranks;
        const auto own = ranks[static_cast<std::size_t>(team_->world().rank())].node;
        return static_cast<int>(std::count_if(
            ranks.begin(), ranks.end(), [own](const auto& rank) { return rank.node == own; }));
    }

    load::ReadOptions readOptions() {
        const int ranks = ranksOnNode();
        const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        load::ReadOptions options;
        options.readers = std::clamp(cores / ranks, 1, 4);
        options.windowBytes = plan::stagingBytes(ranks);
        options.cancel = inbox_.beginLoad();
        options.onProgress = [this, begin = steadyTime(),
                              last = 0.0](const load::Progress& progress) mutable {
            const double now = steadyTime();
            if (now - last < kProgressSeconds && progress.bytesDone < progress.bytes)
                return;
            last = now;
            protocol::LoadProgress out;
            out.rank = reporter_.rank();
            out.tensorsDone = progress.tensorsDone;
            out.tensors = progress.tensors;
            out.bytesDone = progress.bytesDone;
            out.bytes = progress.bytes;
            out.bytesPerSecond =
                static_cast<double>(progress.bytesDone) / std::max(now - begin, 1e-6);
            out.file = progress.file;
            reporter_.send(protocol::link::kLoad, out);
        };
        return options;
    }

    void load() {
        reporter_.phase("loading");
        const double begin = steadyTime();
        auto engine = guarded([this] { return RankEngine::load(team_->parts(), readOptions()); });
        if (!engine && engine.error().code == ErrorCode::Cancelled) {
            log::info("load", "cancelled");
            return reporter_.phase("ready");
        }
        if (!engine) {
            fail("load", engine.error());
            return;
        }
        engine_ = *std::move(engine);
        log::info("load", "{} of weights in {}", formatBytes(engine_->storedBytes()),
                  formatDuration(steadyTime() - begin));
        reporter_.phase("loaded", engine_->findings());
        serving_ = std::make_unique<RankServing>(*team_, *engine_, reporter_);
        reporter_.phase("serving");
    }

    void unload() {
        serving_.reset();
        engine_.reset();
    }

    const protocol::RankJob& job_;
    RankInbox& inbox_;
    RankReporter& reporter_;
    comm::WaitRules idle_{0, inbox_.stopToken(), 0.005};
    std::unique_ptr<RankStation> team_;
    std::unique_ptr<RankEngine> engine_;
    std::unique_ptr<RankServing> serving_;
};

void openLog(const protocol::RankJob& job, int rank) {
    log::setStderr(false);
    if (const auto level = log::levelFromName(job.logLevel))
        log::setLevel(*level);
    if (job.logFolder.empty())
        return;
    const std::string path = fmt::format("{}/rank{}.log", job.logFolder, rank);
    if (auto opened = log::openFile(path); !opened)
        log::warning("rank", "no log file: {}", opened.error().message);
}

// What MPI shares memory through on the control process's node is not there on the others, where
// its own default serves.
void leaveOutForeignFolders() {
    for (const char* name :
         {"OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_osc_sm_backing_directory"}) {
        const char* folder = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
        std::error_code problem;
        if (folder != nullptr && !std::filesystem::is_directory(folder, problem))
            ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
    }
}

// The only way out is what the launcher carries.
void tellNoLink(const Error& error) {
    Finding finding;
    finding.code = "link-unreachable";
    finding.stage = "launch";
    finding.message =
        fmt::format("node {} cannot reach the control process: {}", ownHost(), error.message);
    finding.remedy =
        "open the way for TCP between the nodes, or name an address that they reach as "
        "control_address in the cluster file";
    fmt::print(stderr, "{}{}\n", protocol::kFindingMark, protocol::encode(finding).dump());
}

}  // namespace

int runRank(const protocol::RankTicket& ticket,
            int rank,
            device::PluginRegistry& registry,
            int* argc,
            char*** argv) {
    leaveOutForeignFolders();
    RankInbox inbox;
    auto reporter = RankReporter::connect(ticket, rank, inbox);
    if (!reporter) {
        tellNoLink(reporter.error());
        return kNoLink;
    }
    const protocol::RankJob& job = (*reporter)->job();
    openLog(job, rank);
    comm::sharpenSleeps();
    (*reporter)->phase("starting");
    auto mpi = comm::MpiSession::begin(argc, argv);
    auto world = mpi ? comm::mpiWorld() : Result<std::unique_ptr<comm::Messenger>>(mpi.error());
    if (!world) {
        (*reporter)->phase("failed", {rankFinding(world.error(), "launch")});
        while (!inbox.stopToken().cancelled())
            inbox.take(kIdleSeconds);
        return 3;
    }
    (*reporter)->phase("mpi");
    {
        Rank process(job, inbox, **reporter);
        if (process.form(registry, *std::move(world)))
            process.serve();
    }
    return 0;
}

}  // namespace fl::service
