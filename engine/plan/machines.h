// SPDX-License-Identifier: Apache-2.0
// The devices of a cluster as ranks take them: in node order, in the places that an order gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/plan/predict.h"
#include "engine/topology/cluster.h"

namespace fl::plan {

class Machines {
public:
    explicit Machines(const topology::Cluster& cluster);

    struct Place {
        int node = 0;
        int device = 0;
        const topology::Device* info = nullptr;
        std::int64_t budget = 0;
    };
    int count() const { return static_cast<int>(places_.size()); }
    const Place& at(int place) const { return places_[static_cast<std::size_t>(place)]; }
    const Place& of(const Mesh& mesh, const RankOrder& order, const Coordinates& where) const {
        return at(placeOf(mesh, order, where));
    }

    // In a step of this mesh, which takes the first places.
    DeviceSpeed speed(const Place& place, const Mesh& mesh) const;
    std::int64_t largestBudget() const { return largestBudget_; }
    // All devices have the same kind, budget and speed, and all nodes as many of them.
    bool alike() const { return alike_; }
    const topology::Cluster& cluster() const { return *cluster_; }

private:
    const topology::Cluster* cluster_;
    std::vector<Place> places_;
    std::vector<int> firstPlace_;  // of each node
    std::int64_t largestBudget_ = 0;
    bool alike_ = true;
};

}  // namespace fl::plan
