// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file_watch.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace fl {

namespace {

// How soon a cancelled wait ends.
constexpr int kPollMilliseconds = 200;

}  // namespace

FileWatch::FileWatch(UniqueFd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {}

Result<FileWatch> FileWatch::open(const std::string& path) {
    const std::filesystem::path file = std::filesystem::path(path).lexically_normal();
    const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
    UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!fd || ::inotify_add_watch(fd.get(), folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
        return Error{ErrorCode::Io, "cannot watch " + folder + ": " + std::strerror(errno)};
    return FileWatch(std::move(fd), file.filename().string());
}

bool FileWatch::changed() {
    bool found = false;
    alignas(inotify_event) std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
        if (got <= 0)
            return found;
        for (ssize_t at = 0; at < got;) {
            inotify_event event{};
            std::memcpy(&event, buffer.data() + at, sizeof event);
            // The name is padded with NULs.
            const char* const name = buffer.data() + at + sizeof event;
            found = found || (event.len > 0 && name_ == name);
            at += static_cast<ssize_t>(sizeof event + event.len);
        }
    }
}

bool FileWatch::wait(const CancelToken& cancel) {
    while (!cancel.cancelled()) {
        pollfd one{fd_.get(), POLLIN, 0};
        if (::poll(&one, 1, kPollMilliseconds) > 0 && changed())
            return true;
    }
    return false;
}

}  // namespace fl
