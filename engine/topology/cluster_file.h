// SPDX-License-Identifier: Apache-2.0
// A cluster as a JSON file, so that a plan can be made for machines that are elsewhere. The form is
// described in resources/clusters/README.md.
#pragma once

#include <string>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/topology/cluster.h"

namespace fl::topology {

// InvalidArgument names the place ("nodes[0].devices[1]") and, for an unknown key, the nearest
// ones.
Result<Cluster> clusterFromJson(const Json& value);
Result<Cluster> readClusterFile(const std::string& path);

// Every node and link on its own; reading it gives an equal cluster.
Json toJson(const Cluster& cluster);
Status writeClusterFile(const std::string& path, const Cluster& cluster);

}  // namespace fl::topology
