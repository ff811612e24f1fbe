// SPDX-License-Identifier: Apache-2.0
// Where a running job lives in the runtime folder, and the lock that lets one engine own it.
//
//     <runtime>/<job>.sock   what clients connect to
//     <runtime>/<job>.lock   held by the engine; its pid is inside
//     <runtime>/<job>.d/     rank link, MPI's session files
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

namespace fl::service {

// Fails on names that are no plain file name of up to 40 characters.
Status checkJobName(const std::string& job);

// The socket's path, whether an engine runs or not.
Result<std::string> jobSocket(const std::string& job);

struct RunningJob {
    std::string job;
    std::string socket;
    long pid = -1;
};
// Jobs whose engine holds its lock.
Result<std::vector<RunningJob>> runningJobs();

// Blocks until no engine holds the job's lock; its files are gone then.
void waitForEnd(const std::string& job);

// Owns a job's name: what a killed engine left behind is removed when it is taken, and everything
// is removed when it is given up.
class JobPlace {
public:
    // Fails, naming the pid, while another engine runs under this name.
    static Result<JobPlace> take(const std::string& job);
    ~JobPlace();
    JobPlace(JobPlace&&) noexcept = default;
    JobPlace& operator=(JobPlace&&) = delete;

    const std::string& job() const { return job_; }
    const std::string& socket() const { return socket_; }
    const std::string& folder() const { return folder_; }  // exists, mode 0700
    // Shared-memory files of the ranks; exists, mode 0700.
    const std::string& sharedFolder() const { return shared_; }

private:
    JobPlace() = default;
    void removeFiles() const;
    std::string sharedLockPath() const;

    std::string job_;
    std::string socket_;
    std::string lockPath_;
    std::string folder_;
    std::string shared_;
    UniqueFd lock_;
    UniqueFd sharedLock_;  // tells the living from orphans
};

}  // namespace fl::service
