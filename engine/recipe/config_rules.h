// SPDX-License-Identifier: Apache-2.0
// What a recipe declares about its configuration: for each key its type and range, and which
// dimensions of which tensors it must agree with. Data only; config_check.h holds a configuration
// against it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/recipe/formula.h"

namespace fl::recipe {

enum class KeyType : std::uint8_t {
    Integer,
    Real,  // finite
    Boolean,
    Text,
    List,
    Object,
    Ids,  // a whole number, or a list of at least one
};

enum class Relation : std::uint8_t {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equals,
    Divides,
    MultipleOf,
    Length,  // of a list
};

struct KeyLimit {
    Relation relation = Relation::AtLeast;
    Formula formula;
    Severity severity = Severity::Error;
};

struct KeyRule {
    std::string key;  // "rope_scaling.factor": a member of an object
    KeyType type = KeyType::Integer;
    // Nothing: an absent key is fine.
    std::optional<Severity> absent = Severity::Error;
    std::optional<Severity> null =
        Severity::Error;  // of an explicit null; like `absent` if not said
    std::string instead;  // a key that makes up for an absent one
    // What an absent key means; for formulas over other keys.
    std::optional<Formula> fallback;
    std::vector<KeyLimit> limits;
    std::vector<Json> usual;   // numbers that published models of the family have
    std::vector<Json> values;  // the only ones, if any are given; of a list: of each item
    Severity wrong = Severity::Error;
};

// What headers say about keys. "{i}" stands for a layer, "{}" for an expert.
struct Evidence {
    std::string tensor;
    std::vector<Formula> shape;       // of each such tensor
    std::optional<Formula> layers;    // the last layer that has one, plus 1
    std::optional<Formula> count;     // layers that have one
    std::optional<Formula> experts;   // the last expert that has one, plus 1
    std::optional<std::string> when;  // a boolean key that is true if there are such tensors
    std::vector<Formula> agree;       // instead of a tensor: two formulas that must be equal
    bool optional = false;            // that a checkpoint lacks it is no sign of another model
    Json says;  // what keys must hold where there is such a tensor, and they are there
};

struct ConfigRules {
    // The object that the keys are members of; empty: the configuration itself.
    std::string root;
    std::vector<KeyRule> keys;
    std::vector<Evidence> evidence;

    const KeyRule* find(const std::string& key) const;
};

// From a recipe's `keys`, `evidence` and `config_root`. Mistakes name the declaration.
Result<ConfigRules> readConfigRules(const Json& described);

}  // namespace fl::recipe
