// SPDX-License-Identifier: Apache-2.0
// A CPU card for tests that need a device under them.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>

#include "engine/device/device.h"
#include "plugins/cpu/plugin.h"

namespace fl::test {

struct CpuCard {
    device::Device device;
    device::Stream stream;
};

// Ends the test program if the card cannot be opened. `plugin`: a table to use in place of the CPU
// plugin's own.
inline CpuCard openCpuCard(const std::string& options = "cards=1,memory=1GiB,threads=1",
                           const fl_plugin& plugin = *plugins::cpu::pluginEntry(FL_ABI_VERSION)) {
    auto backend = device::Backend::open(plugin, options);
    if (!backend)
        std::abort();
    auto card = device::Backend::openDevice(*std::move(backend), 0);
    if (!card)
        std::abort();
    auto stream = card->createStream();
    if (!stream)
        std::abort();
    return {*std::move(card), *std::move(stream)};
}

}  // namespace fl::test
