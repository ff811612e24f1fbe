// SPDX-License-Identifier: Apache-2.0
// From what a user writes to the cards behind it.
//
//   local                          every plugin of the registry with its defaults, on this machine
//   cpu:cards=6,memory=2GiB        one plugin with its options
//   clusters/lab-4x8.json          a file that describes machines which need not be here
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/device/device.h"
#include "engine/device/plugin_registry.h"
#include "engine/topology/cluster.h"

namespace fl::device {

Result<topology::Cluster> describeCluster(PluginRegistry& registry, const std::string& spec);

// Opens a card of this machine; `index` counts through the devices of the node that
// describeCluster(registry, spec) gives. A cluster file names no cards that could be opened.
Result<Device> openDevice(PluginRegistry& registry, const std::string& spec, int index);

}  // namespace fl::device
