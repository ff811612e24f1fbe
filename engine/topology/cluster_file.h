// SPDX-License-Identifier: Apache-2.0
// A cluster as a JSON file, so that a plan can be made for machines that are elsewhere. The form is
// described in resources/clusters/README.md.
#pragma once

#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/topology/cluster.h"

namespace fl::topology {

struct ClusterProblem {
    std::string place;  // "nodes[0].devices[1].memory"
    std::string what;   // "is missing"; for an unknown key the nearest ones
};

// All problems are found at once: the list, and InvalidArgument with a line for each.
Result<Cluster> clusterFromJson(const Json& value, std::vector<ClusterProblem>& problems);
Result<Cluster> clusterFromJson(const Json& value);
// The same with file and line before each: "lab.json:12: nodes[0].memry: unknown key …".
Result<Cluster> readClusterFile(const std::string& path);

// Every node and link on its own; reading it gives an equal cluster.
Json toJson(const Cluster& cluster);
Status writeClusterFile(const std::string& path, const Cluster& cluster);

}  // namespace fl::topology
