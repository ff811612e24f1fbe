// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu/plugin.h"

#include <memory>
#include <new>
#include <utility>

#include "plugins/cpu/handles.h"
#include "plugins/cpu/last_error.h"

namespace fl::plugins::cpu {

static fl_status open(const char* text, fl_backend** out) {
    const Machine machine = thisMachine();
    const auto parsed = parseOptions(text, machine);
    if (const auto* wrong = std::get_if<std::string>(&parsed))
        return fail(FL_INVALID_ARGUMENT, "cpu: " + *wrong);
    auto backend = std::make_unique<fl_backend>();
    backend->options = *std::get_if<Options>(&parsed);
    backend->machineBytes = machine.memoryBytes;
    for (int card = 0; card < backend->options.cards; ++card)
        backend->budgets.push_back(std::make_unique<Budget>(backend->options.memoryBytes));
    *out = backend.release();
    return FL_OK;
}

static void close(fl_backend* backend) {
    const std::unique_ptr<fl_backend> owned(backend);
}

// Weights stay as checkpoints store them: the kernels widen them as they read.
static fl_layout preferredLayout(fl_device* /*device*/, const fl_signature* /*signature*/) {
    return FL_LAYOUT_ROWS;
}

const fl_weight_api& weightApi() {
    static constexpr fl_weight_api kApi = {sizeof(fl_weight_api), preferredLayout};
    return kApi;
}

const fl_plugin* pluginEntry(std::uint32_t abiVersion) {
    static const fl_plugin kPlugin = {sizeof(fl_plugin), FL_ABI_VERSION, "cpu",
                                      "0.1.0",           open,           close,
                                      lastError,         &deviceApi(),   &memoryApi(),
                                      &weightApi(),      &kernelApi(),   &collectiveApi(),
                                      &telemetryApi()};
    return abiVersion == FL_ABI_VERSION ? &kPlugin : nullptr;
}

}  // namespace fl::plugins::cpu
