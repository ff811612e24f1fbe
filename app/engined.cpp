// SPDX-License-Identifier: Apache-2.0
// firstlightd, the engine in its two roles: control process of one job (`--job NAME`), and one rank
// of it (`--rank`, started by MPI's launcher).
#include <cstdio>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/control_program.h"
#include "app/rank_program.h"
#include "engine/base/version.h"

int main(int count, char** arguments) {
    using namespace fl;
    // Before anything else makes a thread; MPI gets to see the arguments as they are.
    if (count == 2 && std::string_view(arguments[1]) == "--rank")
        return app::runRankProgram(&count, &arguments);

    CLI::App program("Firstlight's engine: the control process of one job", "firstlightd");
    app::ControlOptions options;
    program.set_version_flag("--version", std::string(version()));
    program.add_option("--job", options.job, "The job's name; clients find it by this")->required();
    program.add_flag("--idle-exit", options.idleExit, "End when the last client has left");
    program.add_flag("--detach", options.detach, "Leave the terminal once clients can connect");
    program.add_option("--launcher", options.launcher, "MPI's launcher");
    program.add_option("--log-level", options.logLevel, "debug, info, warning, error or off");
    try {
        program.parse(count, arguments);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0)
            return program.exit(problem);
        fmt::print(stderr, "firstlightd: {}\n", problem.what());
        return 2;
    }
    return app::runControlProgram(options);
}
