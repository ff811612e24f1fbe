// SPDX-License-Identifier: Apache-2.0
#include "engine/service/job_place.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"

namespace fl::service {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxName = 40;
constexpr std::string_view kLockSuffix = ".lock";
constexpr const char* kSharedRoot = "/dev/shm";

bool isNameCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

Error systemError(const std::string& what) {
    return {ErrorCode::Io, what + ": " + std::strerror(errno)};  // NOLINT(concurrency-mt-unsafe)
}

long pidInside(int lock) {
    std::array<char, 32> text{};
    const auto got = ::pread(lock, text.data(), text.size() - 1, 0);
    const auto pid = got > 0 ? parseInteger({text.data(), static_cast<std::size_t>(got)})
                             : Result<std::int64_t>(std::int64_t{-1});
    return pid ? static_cast<long>(*pid) : -1;
}

// The path may have been removed between opening and locking it; then the lock guards nothing.
bool stillThere(int lock, const std::string& path) {
    struct stat held {};
    struct stat named {};
    return ::fstat(lock, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

Result<UniqueFd> lockFile(const std::string& path, const std::string& job) {
    for (;;) {
        UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!lock)
            return systemError("cannot open " + path);
        if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("an engine for job '{}' is running already, pid {}: attach to "
                                     "it, stop it, or choose another name",
                                     job, pidInside(lock.get()))};
        }
        if (!stillThere(lock.get(), path))
            continue;
        const std::string pid = std::to_string(::getpid());
        if (::ftruncate(lock.get(), 0) != 0 ||
            ::pwrite(lock.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
            return systemError("cannot write " + path);
        return lock;
    }
}

Status makeFolder(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) != 0)
        return systemError("cannot make " + path);
    return Done{};
}

std::string sharedPrefix() {
    return fmt::format("firstlight-{}-", ::geteuid());
}

// Shared memory wants memory: MPI's own default, with a folder of our own so that it can go. It is
// one place for all runtime folders of a user, so the name says which of them it belongs to.
std::string sharedFolderFor(const std::string& runtime, const std::string& job) {
    std::error_code problem;
    struct stat facts {};
    if (!fs::is_directory(kSharedRoot, problem) || ::access(kSharedRoot, W_OK) != 0 ||
        ::stat(runtime.c_str(), &facts) != 0)
        return fmt::format("{}/{}.d/shm", runtime, job);
    return fmt::format("{}/{}{:x}-{}", kSharedRoot, sharedPrefix(), facts.st_ino, job);
}

// Engines that were killed leave shared memory behind, and their job may never come again. Whoever
// lives holds the lock beside the folder.
void removeOrphans() {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(kSharedRoot, ignored)) {
        const std::string path = entry.path().string();
        if (!entry.path().filename().string().starts_with(sharedPrefix()) ||
            !path.ends_with(kLockSuffix))
            continue;
        const UniqueFd lock(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
        if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
            continue;
        fs::remove_all(path.substr(0, path.size() - kLockSuffix.size()), ignored);
        ::unlink(path.c_str());
    }
}

}  // namespace

Status checkJobName(const std::string& job) {
    const bool plain = std::all_of(job.begin(), job.end(), isNameCharacter);
    if (!plain || job.empty() || job.size() > kMaxName || job.front() == '.') {
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("'{}' is no job name: letters, digits, '.', '_' and '-', at most "
                                 "{} of them, not beginning with '.'",
                                 job.substr(0, 80), kMaxName)};
    }
    return Done{};
}

Result<std::string> jobSocket(const std::string& job) {
    FL_DO(checkJobName(job));
    FL_TRY(const std::string runtime, runtimeDir());
    return fmt::format("{}/{}.sock", runtime, job);
}

Result<std::vector<RunningJob>> runningJobs() {
    FL_TRY(const std::string runtime, runtimeDir());
    std::vector<RunningJob> out;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(runtime, problem)) {
        const std::string file = entry.path().filename().string();
        if (!file.ends_with(kLockSuffix))
            continue;
        const UniqueFd lock(::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
        if (!lock || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0)
            continue;  // nobody holds it
        const std::string job = file.substr(0, file.size() - kLockSuffix.size());
        out.push_back({job, fmt::format("{}/{}.sock", runtime, job), pidInside(lock.get())});
    }
    std::sort(out.begin(), out.end(),
              [](const RunningJob& a, const RunningJob& b) { return a.job < b.job; });
    return out;
}

void waitForEnd(const std::string& job) {
    const auto runtime = runtimeDir();
    if (!runtime || !checkJobName(job))
        return;
    const std::string path = fmt::format("{}/{}{}", *runtime, job, kLockSuffix);
    const UniqueFd lock(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    while (lock && ::flock(lock.get(), LOCK_SH) != 0 && errno == EINTR) {
    }
}

Result<JobPlace> JobPlace::take(const std::string& job) {
    FL_DO(checkJobName(job));
    FL_TRY(const std::string runtime, runtimeDir());
    JobPlace place;
    place.job_ = job;
    place.socket_ = fmt::format("{}/{}.sock", runtime, job);
    place.folder_ = fmt::format("{}/{}.d", runtime, job);
    place.shared_ = sharedFolderFor(runtime, job);
    const std::string lockPath = fmt::format("{}/{}{}", runtime, job, kLockSuffix);
    FL_TRY(place.lock_, lockFile(lockPath, job));
    place.lockPath_ = lockPath;
    removeOrphans();
    place.removeFiles();
    FL_DO(makeFolder(place.folder_));
    FL_TRY(place.sharedLock_, lockFile(place.sharedLockPath(), job));
    FL_DO(makeFolder(place.shared_));
    return place;
}

void JobPlace::removeFiles() const {
    std::error_code ignored;  // what cannot be removed is reported by whoever makes it anew
    fs::remove(socket_, ignored);
    fs::remove_all(folder_, ignored);
    fs::remove_all(shared_, ignored);
}

std::string JobPlace::sharedLockPath() const {
    return shared_ + std::string(kLockSuffix);
}

JobPlace::~JobPlace() {
    if (!lock_)
        return;
    removeFiles();
    ::unlink(sharedLockPath().c_str());
    // While the lock is held, so that the next engine makes a file of its own.
    ::unlink(lockPath_.c_str());
}

}  // namespace fl::service
