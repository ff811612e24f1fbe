// SPDX-License-Identifier: Apache-2.0
// firstlightctl: the engine's stages as verbs, for terminals, scripts and clusters.
#include <csignal>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/ctl/context.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/base/version.h"
#include "engine/service/prepare.h"

namespace {

using namespace fl;
using namespace fl::app;

// For the signal handler, which can be given nothing else.
CancelSource* interrupt = nullptr;

void onInterrupt(int /*signal*/) {
    interrupt->cancel();
    // A second Ctrl+C does not wait for manners.
    ::signal(SIGINT, SIG_DFL);
}

std::vector<std::string> optionNames(const CLI::App& verb) {
    std::vector<std::string> out;
    for (const CLI::Option* option : verb.get_options()) {
        for (const std::string& name : option->get_lnames())
            out.push_back("--" + name);
    }
    return out;
}

std::vector<std::string> verbNames(const CLI::App& program) {
    std::vector<std::string> out;
    for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
        out.push_back(verb->get_name());
    return out;
}

// The word that was not understood, and what comes near it.
std::string usageError(const CLI::App& program, const CLI::ParseError& problem) {
    const CLI::App* verb = &program;
    while (!verb->get_subcommands().empty())
        verb = verb->get_subcommands().front();
    for (const std::string& word : program.remaining(true)) {
        const std::string option = word.substr(0, word.find('='));
        if (option.starts_with("--"))
            return fmt::format("unknown option {}{}", option, nearest(option, optionNames(*verb)));
        if (!option.starts_with('-') && verb == &program)
            return fmt::format("unknown verb {}{}", option, nearest(option, verbNames(program)));
    }
    return problem.what();
}

int failed(const Context& context, const Error& error) {
    // Whatever else went wrong was the interruption's doing.
    const bool interrupted = context.cancel.cancelled();
    if (context.json) {
        Finding finding = fromError(error, interrupted ? "interrupted" : "could-not-run", "");
        finishJson(Json::object(), {finding});
    } else if (!interrupted) {
        fmt::print(stderr, "firstlightctl: {}\n", error.message);
    }
    return interrupted ? kInterrupted : kCouldNotRun;
}

void setUpLog(const Context& context) {
    log::setStderr(!context.quiet);
    if (const auto level = log::levelFromName(context.logLevel))
        log::setLevel(*level);
}

}  // namespace

int main(int count, char** arguments) {
    CancelSource source;
    interrupt = &source;
    ::signal(SIGINT, onInterrupt);
    ::signal(SIGTERM, onInterrupt);
    ::signal(SIGPIPE, SIG_IGN);

    CLI::App program("Firstlight: bring up very large open-weight models", "firstlightctl");
    program.set_version_flag("--version", std::string(version()));
    program.require_subcommand(1);
    program.footer("Exit codes: 0 fine, 1 negative verdict, 2 wrong usage, 3 could not run.");
    Context context;
    context.cancel = source.token();
    addInspect(program, context);
    addPlan(program, context);
    addChat(program, context);
    addTemplate(program, context);
    addValidate(program, context);
    addJobs(program, context);
    addJob(program, context);
    addRecipe(program, context);
    addBench(program, context);
    try {
        program.parse(count, arguments);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0)
            return program.exit(problem);  // --help, --version
        fmt::print(stderr, "firstlightctl: {}\n", usageError(program, problem));
        return kUsage;
    }
    if (const auto level = log::levelFromName(context.logLevel); !level) {
        fmt::print(stderr, "firstlightctl: {}\n", level.error().message);
        return kUsage;
    }
    setUpLog(context);
    const auto code = context.run();
    return code ? *code : failed(context, code.error());
}
