// SPDX-License-Identifier: Apache-2.0
// What is behind the opaque handles of the device interface, and the tables made from them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/cpu/parallel.h"
#include "plugins/abi/firstlight_device.h"
#include "plugins/cpu/budget.h"
#include "plugins/cpu/options.h"

struct fl_backend {
    fl::plugins::cpu::Options options;
    std::int64_t machineBytes = 0;
    // One per card: opening a card twice does not double what it may hold.
    std::vector<std::unique_ptr<fl::plugins::cpu::Budget>> budgets;
};

struct fl_device {
    fl_device(fl_backend& owner, int index)
        : backend(owner),
          card(index),
          budget(*owner.budgets[static_cast<std::size_t>(index)]),
          parallel(owner.options.threads) {}

    struct Allocation {
        std::int64_t bytes = 0;
        fl_memory_category category = FL_MEMORY_CONTEXT;
    };

    fl_backend& backend;
    const int card;
    fl::plugins::cpu::Budget& budget;

    std::mutex allocationsMutex;
    std::unordered_map<void*, Allocation> allocations;

    std::mutex launchMutex;  // streams take turns on the card's threads
    fl::kernels::cpu::Parallel parallel;
    std::int64_t scratchBytes = 0;  // as counted in the budget

    std::mutex sampleMutex;
    double sampledAt = 0;  // seconds
    double sampledBusy = 0;
};

struct fl_stream {
    fl_device& device;
};

struct fl_group {
    const fl_transport* transport;
};

namespace fl::plugins::cpu {

std::string cardName(const fl_device& device);  // "CPU card 3"
void freeAll(fl_device& device);

const fl_device_api& deviceApi();
const fl_memory_api& memoryApi();
const fl_weight_api& weightApi();
const fl_kernel_api& kernelApi();
const fl_collective_api& collectiveApi();
const fl_telemetry_api& telemetryApi();

}  // namespace fl::plugins::cpu
