// SPDX-License-Identifier: Apache-2.0
// Cards and streams. A stream runs on its caller, so there is nothing to wait for.
#include <cstdio>
#include <memory>
#include <system_error>

#include "plugins/cpu/handles.h"
#include "plugins/cpu/last_error.h"

namespace fl::plugins::cpu {

static std::string cardName(int index) {
    return "CPU card " + std::to_string(index);
}

std::string cardName(const fl_device& device) {
    return cardName(device.card);
}

static fl_status checkIndex(const fl_backend& backend, std::int32_t index) {
    if (index >= 0 && index < backend.options.cards)
        return FL_OK;
    return fail(FL_NOT_FOUND, "there is no CPU card " + std::to_string(index) +
                                  "; the cards are 0 … " +
                                  std::to_string(backend.options.cards - 1));
}

static std::int32_t count(fl_backend* backend) {
    return backend->options.cards;
}

static fl_status info(fl_backend* backend, std::int32_t index, fl_device_info* out) {
    if (const fl_status status = checkIndex(*backend, index); status != FL_OK)
        return status;
    *out = {};
    out->size = sizeof *out;
    std::snprintf(out->name, sizeof out->name, "%s", cardName(index).c_str());
    std::snprintf(out->kind, sizeof out->kind, "cpu");
    out->index = index;
    out->numa_node = -1;
    out->memory_bytes = backend->machineBytes;
    out->budget_bytes = backend->options.memoryBytes;
    out->compute_threads = backend->options.threads;
    return FL_OK;
}

static fl_status open(fl_backend* backend, std::int32_t index, fl_device** out) {
    if (const fl_status status = checkIndex(*backend, index); status != FL_OK)
        return status;
    try {
        *out = std::make_unique<fl_device>(*backend, index).release();
    } catch (const std::system_error& error) {
        return fail(FL_INTERNAL, cardName(index) + ": cannot start " +
                                     std::to_string(backend->options.threads) +
                                     " threads: " + error.what());
    }
    return FL_OK;
}

static void close(fl_device* device) {
    const std::unique_ptr<fl_device> owned(device);
    freeAll(*owned);
    owned->budget.release(owned->scratchBytes, FL_MEMORY_CONTEXT);
}

static fl_status streamCreate(fl_device* device, fl_stream** out) {
    *out = std::make_unique<fl_stream>(fl_stream{*device}).release();
    return FL_OK;
}

static void streamDestroy(fl_stream* stream) {
    const std::unique_ptr<fl_stream> owned(stream);
}

static fl_status streamSynchronize(fl_stream* /*stream*/) {
    return FL_OK;
}

const fl_device_api& deviceApi() {
    static constexpr fl_device_api kApi = {
        sizeof(fl_device_api), count, info, open, close, streamCreate, streamDestroy,
        streamSynchronize};
    return kApi;
}

}  // namespace fl::plugins::cpu
