// SPDX-License-Identifier: Apache-2.0
// From what a user writes to the cards behind it.
//
//   local                          every plugin of the registry with its defaults, on this machine
//   cpu:cards=6,memory=2GiB        one plugin with its options
//   clusters/lab-4x8.json          a file that describes machines, here or elsewhere
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/device/device.h"
#include "engine/device/plugin_registry.h"
#include "engine/topology/cluster.h"

namespace fl::device {

Result<topology::Cluster> describeCluster(PluginRegistry& registry, const std::string& spec);

// Opens a card of this machine that a cluster describes: the device of that kind and index, its
// plugin opened with the options that the description has. NotFound where there is no such card.
Result<Device> openDevice(PluginRegistry& registry, const topology::Device& described);

}  // namespace fl::device
