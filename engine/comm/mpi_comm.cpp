// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/mpi_comm.h"

#include <cstdlib>
#include <string>

#ifdef FIRSTLIGHT_MPI
#include <algorithm>
#include <utility>

#include <mpi.h>
#endif

namespace fl::comm {

#ifdef FIRSTLIGHT_MPI

namespace {

// MPI counts are ints; larger messages travel as several.
constexpr std::int64_t kLargestMessage = std::int64_t{1} << 30;

Status check(int code, const char* what) {
    if (code == MPI_SUCCESS)
        return Done{};
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    return Error{ErrorCode::Io, std::string("MPI ") + what + ": " + text};
}

class MpiMessenger final : public Messenger {
public:
    MpiMessenger(MPI_Comm comm, bool owned) : comm_(comm), owned_(owned) {
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &ranks_);
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
    ~MpiMessenger() override {
        abandon();
        int finalised = 0;
        MPI_Finalized(&finalised);
        if (owned_ && finalised == 0)
            MPI_Comm_free(&comm_);
    }
    MpiMessenger(const MpiMessenger&) = delete;
    MpiMessenger& operator=(const MpiMessenger&) = delete;

    int rank() const override { return rank_; }
    int ranks() const override { return ranks_; }

    Status send(const void* from, std::int64_t bytes, int peer, Channel channel) override {
        const auto* next = static_cast<const char*>(from);
        do {
            const std::int64_t part = std::min(bytes, kLargestMessage);
            const int code = MPI_Isend(next, static_cast<int>(part), MPI_BYTE, peer,
                                       static_cast<int>(channel), comm_, &begin());
            FL_DO(check(code, "send"));
            next += part;
            bytes -= part;
        } while (bytes > 0);
        return Done{};
    }

    Status receive(void* to, std::int64_t bytes, int peer, Channel channel) override {
        auto* next = static_cast<char*>(to);
        do {
            const std::int64_t part = std::min(bytes, kLargestMessage);
            const int code = MPI_Irecv(next, static_cast<int>(part), MPI_BYTE, peer,
                                       static_cast<int>(channel), comm_, &begin());
            FL_DO(check(code, "receive"));
            next += part;
            bytes -= part;
        } while (bytes > 0);
        return Done{};
    }

    Result<bool> test() override {
        int done = 0;
        const int count = static_cast<int>(requests_.size());
        FL_DO(check(MPI_Testall(count, requests_.data(), &done, MPI_STATUSES_IGNORE), "test"));
        if (done != 0)
            requests_.clear();
        return done != 0;
    }

    void abandon() override {
        int finalised = 0;
        MPI_Finalized(&finalised);
        if (finalised != 0)
            return;
        for (MPI_Request& request : requests_) {
            if (request == MPI_REQUEST_NULL)
                continue;
            MPI_Cancel(&request);
            MPI_Request_free(&request);
        }
        requests_.clear();
    }

    Result<std::int64_t> probe(int peer, Channel channel) override {
        int arrived = 0;
        MPI_Status status{};
        FL_DO(
            check(MPI_Iprobe(peer, static_cast<int>(channel), comm_, &arrived, &status), "probe"));
        if (arrived == 0)
            return std::int64_t{-1};
        int bytes = 0;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        return std::int64_t{bytes};
    }

    Result<std::unique_ptr<Messenger>> subset(std::span<const int> members) override {
        MPI_Group all = MPI_GROUP_NULL;
        MPI_Group part = MPI_GROUP_NULL;
        MPI_Comm made = MPI_COMM_NULL;
        MPI_Comm_group(comm_, &all);
        const int count = static_cast<int>(members.size());
        int code = MPI_Group_incl(all, count, members.data(), &part);
        if (code == MPI_SUCCESS)
            code = MPI_Comm_create_group(comm_, part, members.front(), &made);
        if (part != MPI_GROUP_NULL)
            MPI_Group_free(&part);
        MPI_Group_free(&all);
        FL_DO(check(code, "group"));
        return std::unique_ptr<Messenger>(std::make_unique<MpiMessenger>(made, true));
    }

private:
    MPI_Request& begin() { return requests_.emplace_back(MPI_REQUEST_NULL); }

    MPI_Comm comm_;
    bool owned_;
    int rank_ = 0;
    int ranks_ = 1;
    std::vector<MPI_Request> requests_;
};

}  // namespace

Result<std::unique_ptr<MpiSession>> MpiSession::begin(int* argc, char*** argv) {
    int level = MPI_THREAD_SINGLE;
    FL_DO(check(MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level), "start"));
    if (level < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        return Error{ErrorCode::Unsupported, "this MPI cannot be called from a thread of its own"};
    }
    return std::unique_ptr<MpiSession>(new MpiSession());
}

MpiSession::~MpiSession() {
    MPI_Finalize();
}

Result<std::unique_ptr<Messenger>> mpiWorld() {
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (initialised == 0)
        return Error{ErrorCode::Internal, "MPI is not initialised"};
    return std::unique_ptr<Messenger>(std::make_unique<MpiMessenger>(MPI_COMM_WORLD, false));
}

void abortAllRanks(int exitCode) {
    int initialised = 0;
    int finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (initialised != 0 && finalised == 0)
        MPI_Abort(MPI_COMM_WORLD, exitCode);
    std::_Exit(exitCode);
}

#else

Result<std::unique_ptr<MpiSession>> MpiSession::begin(int*, char***) {
    return std::unique_ptr<MpiSession>(new MpiSession());
}

MpiSession::~MpiSession() = default;

Result<std::unique_ptr<Messenger>> mpiWorld() {
    return singleRank();
}

void abortAllRanks(int exitCode) {
    std::_Exit(exitCode);
}

#endif

}  // namespace fl::comm
