// SPDX-License-Identifier: Apache-2.0
// firstlightctl job: the job file that equals the options.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/ctl/context.h"
#include "app/job_file.h"
#include "engine/protocol/codec.h"
#include "engine/service/prepare.h"

namespace fl::app {

namespace {

Result<int> job(const Context& context, const JobOptions& options) {
    FL_TRY(const auto settings, settingsOf(options));
    FL_TRY(const auto checked, service::planOptions(settings));
    if (context.json)
        printJson(protocol::encode(settings));
    else
        fmt::print("{}", writeJobFile(settings));
    return kFine;
}

}  // namespace

void addJob(CLI::App& program, Context& context) {
    CLI::App* verb = addVerb(program, context, "job", "The job file that equals the options");
    const auto options = std::make_shared<JobOptions>();
    verb->add_flag("--print")->description("Write it to standard output")->required();
    verb->add_option("CHECKPOINT", options->checkpoint, "Folder, .safetensors or .gguf");
    verb->add_option("--name", options->job, "The job's name; default: the checkpoint's");
    addPlanOptions(*verb, *options);
    verb->footer("Example: firstlightctl job --print MODEL --tp 3 --pp 2 > job.json");
    verb->callback([&context, options] {
        context.run = [&context, options] { return job(context, *options); };
    });
}

}  // namespace fl::app
