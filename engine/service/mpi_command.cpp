// SPDX-License-Identifier: Apache-2.0
#include "engine/service/mpi_command.h"

#include <unistd.h>

#include "engine/base/text.h"
#include "engine/service/child_process.h"

namespace fl::service {

namespace {

void addSetting(std::vector<std::string>& out, const char* key, const std::string& value) {
    out.insert(out.end(), {"--mca", key, value});
}

}  // namespace

Result<std::vector<std::string>> mpiCommand(const MpiRequest& request) {
    const auto launcher = findProgram(request.launcher);
    if (!launcher) {
        return Error{ErrorCode::NotFound, "no MPI found: " + launcher.error().message +
                                              "; install Open MPI (Debian: openmpi-bin)"};
    }
    std::vector<std::string> out = {*launcher, "-n", std::to_string(request.ranks)};
    if (::geteuid() == 0)
        out.emplace_back("--allow-run-as-root");
    // Only "seq" keeps to the order of the list: others fill the launcher's own machine first.
    if (!request.hosts.empty())
        out.insert(out.end(), {"--host", join(request.hosts, ","), "--map-by", "seq"});
    // Ranks may outnumber cores (cards that CPUs stand in for); the CPU plugin places its own
    // threads, and MPI's binding would put all of a rank's on one core.
    out.insert(out.end(), {"--oversubscribe", "--bind-to", "none", "--tag-output"});
    addSetting(out, "mpi_yield_when_idle", "1");
    addSetting(out, "btl_vader_backing_directory", request.sharedFolder);
    addSetting(out, "osc_sm_backing_directory", request.sharedFolder);
    // One message of ours is worth more than a page of its help texts, folded or not.
    addSetting(out, "orte_base_help_aggregate", "0");
    for (const std::string& name : request.variables)
        out.insert(out.end(), {"-x", name});
    out.insert(out.end(), {request.program, "--rank"});
    return out;
}

}  // namespace fl::service
