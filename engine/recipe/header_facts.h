// SPDX-License-Identifier: Apache-2.0
// What a checkpoint's headers say about the numbers of its configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "engine/recipe/config_rules.h"

namespace fl::recipe {

// "The formula has this value in so many headers."
struct HeaderFact {
    Formula formula;
    double value = 0;
    std::int64_t votes = 0;
    std::string tensor;    // the first that says so; empty if tensors are not the source
    bool isCount = false;  // of layers or experts: files that are missing would change it
    // Of a count from 0: the name with "#" for the number; the first that is not counted lacks it.
    std::string counted;
};

// "The key holds this value, or there would be no such tensor."
struct HeaderSaying {
    std::string key;
    Json value;
    std::string tensor;
};

// The checkpoint's name of a tensor that evidence names; empty if it has none.
using TensorNames = std::function<std::string(const std::string& name)>;

// Where headers contradict each other, both facts are there; the tensors that are outvoted are the
// contract's to name.
std::vector<HeaderFact> gatherFacts(const std::vector<Evidence>& evidence,
                                    const checkpoint::Inventory& inventory,
                                    const TensorNames& names);

std::vector<HeaderSaying> gatherSayings(const std::vector<Evidence>& evidence,
                                        const checkpoint::Inventory& inventory,
                                        const TensorNames& names);

}  // namespace fl::recipe
