// SPDX-License-Identifier: Apache-2.0
// What all verbs of firstlightctl share: common options, the settings of a job, how results are
// printed and how the program ends.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/job_messages.h"

namespace CLI {
class App;
}

namespace fl::app {

// The program's exit codes.
constexpr int kFine = 0;
constexpr int kNegative = 1;  // it ran, and the verdict is negative: a checkpoint with faults
constexpr int kUsage = 2;
constexpr int kCouldNotRun = 3;  // also where there is no checkpoint that could be judged
constexpr int kInterrupted = 130;

struct Context {
    bool json = false;
    bool quiet = false;
    std::string logLevel = "warning";
    CancelToken cancel;  // Ctrl+C
    // What the verb that was chosen does; set by its parser.
    std::function<Result<int>()> run;
};

// Options of plan, launch, chat, …: as given, so that they can win over a job file.
struct JobOptions {
    std::string checkpoint;
    std::optional<std::string> jobFile, planFile;
    std::optional<std::string> job, recipe, cluster, compute, kv, offload, order;
    std::optional<int> tp, pp, ep, dp, maxSequences;
    std::optional<std::int64_t> maxContext;
    std::vector<int> stageLayers;
};

CLI::App* addVerb(CLI::App& program, Context& context, const char* name, const char* does);
void addPlanOptions(CLI::App& verb, JobOptions& options);
void addRecipeOption(CLI::App& verb, JobOptions& options);
// Defaults, then the job file, then the plan file, then the options.
Result<protocol::JobSettings> settingsOf(const JobOptions& options);

// The one document on standard output.
void printJson(const Json& document);
// Adds `findings` and `verdict` at its end and gives the exit code that belongs to them.
int finishJson(Json document, const std::vector<Finding>& findings);
// The same for people: findings as lines; then the exit code.
int finishText(const std::vector<Finding>& findings);

// Rows under headings, columns aligned; numbers to the right where `right` says so.
std::string table(const std::vector<std::string>& headings,
                  const std::vector<std::vector<std::string>>& rows,
                  const std::string& right);

// Every verb is one file with one of these.
void addInspect(CLI::App& program, Context& context);
void addPlan(CLI::App& program, Context& context);
void addJob(CLI::App& program, Context& context);
void addRecipe(CLI::App& program, Context& context);
void addChat(CLI::App& program, Context& context);
void addTemplate(CLI::App& program, Context& context);
void addValidate(CLI::App& program, Context& context);
void addBench(CLI::App& program, Context& context);
// launch, attach, status, stop, proxy
void addJobs(CLI::App& program, Context& context);

}  // namespace fl::app
