// SPDX-License-Identifier: Apache-2.0
// Any bytes as a cluster file: a cluster that is taken comes back equal from what is written of it;
// one that is refused is refused with the file's name and a line.
#include "engine/topology/cluster_file.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fl;
    static const fuzz::MemoryFile file;
    file.fill(data, size);
    const auto cluster = topology::readClusterFile(file.path());
    if (!cluster) {
        fuzz::require(cluster.error().message.starts_with(file.path()));
        return 0;
    }
    const auto again = topology::clusterFromJson(topology::toJson(*cluster));
    fuzz::require(again && *again == *cluster);
    return 0;
}
