// SPDX-License-Identifier: Apache-2.0
// A cluster as text, for logs and goldens.
#pragma once

#include <string>

#include "engine/topology/cluster.h"

namespace fl::topology {

// One line per node, group of equal devices and group of equal links.
std::string dump(const Cluster& cluster);

}  // namespace fl::topology
