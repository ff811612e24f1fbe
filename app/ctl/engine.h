// SPDX-License-Identifier: Apache-2.0
// The engine that a verb talks to: one of its own that ends with it, or one that runs already.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "app/ctl/context.h"
#include "engine/base/finding.h"
#include "engine/base/result.h"
#include "engine/protocol/messages.h"
#include "engine/service/client.h"

namespace fl::app {

class Engine {
public:
    // Starts firstlightd for one client; it ends when this object does.
    static Result<Engine> startPrivate(const Context& context);
    // Starts one that stays. Fails if the job runs already.
    static Result<Engine> startDetached(const Context& context, const std::string& job);
    static Result<Engine> attach(const Context& context, const std::string& job);

    // A private engine is shut down, and waited for.
    ~Engine();
    Engine(Engine&& other) noexcept;
    Engine& operator=(Engine&&) = delete;

    service::Client& client() const { return *client_; }
    const std::string& job() const { return job_; }

private:
    Engine() = default;

    std::string job_;
    std::unique_ptr<service::Client> client_;
    pid_t child_ = -1;
};

// NotFound, with the nearest names, where no engine runs for the job.
Status requireRunning(const std::string& job);

// Ends the engine of a job, whatever the caller's own token says, and waits until it has gone.
void shutDown(const std::string& job);

struct BroughtUp {
    bool loaded = false;
    std::string stage;  // that failed
    std::string why;
    std::vector<Finding> findings;
};

// Opens the job and waits until the model is loaded or a stage failed; shows progress on a
// terminal. Interrupted by Ctrl+C.
Result<BroughtUp> bringUp(const Context& context,
                          service::Client& client,
                          const protocol::JobSettings& settings);

// What a failed bring-up means for the program: findings are printed (behind the keys of `document`
// for --json), the exit code is returned.
int finishFailed(const Context& context, const BroughtUp& result, Json document = Json::object());

// An engine to ask: a running job of that name, or a private one that brings `options` up. The
// result of a bring-up that failed is in `failed`, and the engine is of no use then.
struct Target {
    Engine engine;
    protocol::Snapshot state;  // with the model loaded
    std::optional<BroughtUp> failed;
};
Result<Target> reachTarget(const Context& context, const JobOptions& options);

}  // namespace fl::app
