// SPDX-License-Identifier: Apache-2.0
// Tells when a file was written or replaced (inotify on its folder, because editors write a new
// file and rename it).
#pragma once

#include <string>

#include "engine/base/cancel_token.h"
#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

namespace fl {

class FileWatch {
public:
    // The folder must exist; the file may come later.
    static Result<FileWatch> open(const std::string& path);

    // Readable when something happened in the folder.
    int fd() const { return fd_.get(); }
    // Whether the file changed since the last call. Never waits.
    bool changed();
    // Waits for a change; false once cancelled.
    bool wait(const CancelToken& cancel);

private:
    FileWatch(UniqueFd fd, std::string name);
    UniqueFd fd_;
    std::string name_;
};

}  // namespace fl
