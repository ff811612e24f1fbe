// SPDX-License-Identifier: Apache-2.0
#include "engine/base/paths.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fl {

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): set before threads
    return value ? value : "";
}

// The XDG specification ignores relative paths in these variables.
std::string xdg(const char* name, const std::string& underHome) {
    const std::string value = variable(name);
    const std::string root = value.starts_with('/') ? value : variable("HOME") + underHome;
    return root + "/firstlight";
}

Status makePrivate(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
        return Error{ErrorCode::Io,
                     fmt::format("cannot make {}: {}", path, std::strerror(errno))};  // NOLINT
    }
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode))
        return Error{ErrorCode::Io, path + " is not a folder: remove it"};
    if (facts.st_uid != ::geteuid())
        return Error{ErrorCode::Io, path + " belongs to another user: remove it"};
    if ((facts.st_mode & 0077) != 0 && ::chmod(path.c_str(), 0700) != 0)
        return Error{ErrorCode::Io, path + " is open to others and cannot be closed (chmod 700)"};
    return Done{};
}

}  // namespace

std::string programDir() {
    std::error_code problem;
    return std::filesystem::read_symlink("/proc/self/exe", problem).parent_path().string();
}

std::string resourcesDir() {
    const std::string value = variable("FIRSTLIGHT_RESOURCES");
    return value.empty() ? programDir() + "/../share/firstlight" : value;
}

std::string dataDir() {
    return xdg("XDG_DATA_HOME", "/.local/share");
}
std::string configDir() {
    return xdg("XDG_CONFIG_HOME", "/.config");
}
std::string stateDir() {
    return xdg("XDG_STATE_HOME", "/.local/state");
}
std::string cacheDir() {
    return xdg("XDG_CACHE_HOME", "/.cache");
}

Result<std::string> runtimeDir() {
    const std::string root = variable("XDG_RUNTIME_DIR");
    const std::string path = root.starts_with('/') ? root + "/firstlight"
                                                   : fmt::format("/tmp/firstlight-{}", ::geteuid());
    FL_DO(makePrivate(path));
    return path;
}

}  // namespace fl
