// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/gguf_config.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "engine/checkpoint/tensor_reader.h"

namespace fl::recipe {

namespace {

class Translation {
public:
    Translation(const checkpoint::Checkpoint& checkpoint, const Json& table)
        : checkpoint_(checkpoint),
          table_(table),
          prefix_(table["architecture"].string() + ".") {}

    GgufConfig run() {
        for (const auto& [key, rule] : table_["config"].members())
            translate(key, rule);
        for (const auto& [key, value] : table_["constants"].members())
            out_.config.set(key, value);
        for (const Json& key : table_["harmless"].items())
            used_.insert(prefix_ + key.string());
        for (const auto& [key, value] : checkpoint_.metadata.members()) {
            const bool ours = key.compare(0, prefix_.size(), prefix_) == 0;
            if (ours && used_.count(key) == 0)
                put("gguf." + key.substr(prefix_.size()), value, key);
        }
        return std::move(out_);
    }

private:
    void translate(const std::string& key, const Json& rule) {
        if (const Json* tensor = rule.find("absent_tensor")) {
            put(key, Json(checkpoint_.inventory.find(tensor->string()) == nullptr), "");
            return;
        }
        if (const Json* tensor = rule.find("values_of")) {
            const std::vector<float> values = valuesOf(tensor->string());
            if (!values.empty())
                put(key, Json(Json::Array(values.begin(), values.end())), tensor->string());
            return;
        }
        const std::string name = prefix_ + rule["key"].string();
        if (const Json* found = checkpoint_.metadata.find(name)) {
            used_.insert(name);
            const Json* replaced = rule["values"].find(found->string());
            put(key, replaced ? *replaced : uniform(*found), name);
        } else if (const Json* counted = rule.find("count_of")) {
            const Json& list = checkpoint_.metadata[counted->string()];
            if (list.isArray())
                put(key, Json(static_cast<std::int64_t>(list.size())), counted->string());
        }
        out_.origin.try_emplace(key, name);  // for what is missing
    }

    // A list of one value per layer, all alike, is that value.
    Json uniform(const Json& value) const {
        const auto& items = value.items();
        const std::int64_t layers = checkpoint_.metadata[prefix_ + "block_count"].integer(-1);
        const bool alike = !items.empty() && std::ssize(items) == layers &&
                           std::all_of(items.begin(), items.end(),
                                       [&items](const Json& each) { return each == items[0]; });
        return alike ? items.front() : value;
    }

    // Nothing where there is no such tensor, or none that is a setting: the contract will name it.
    std::vector<float> valuesOf(const std::string& name) const {
        constexpr std::int64_t kMostBytes = 1 << 16;
        const checkpoint::TensorInfo* tensor = checkpoint_.inventory.find(name);
        if (tensor == nullptr || tensor->shape.rank() != 1 || tensor->bytes > kMostBytes)
            return {};
        auto values = checkpoint::readFloats(checkpoint_, *tensor);
        return values ? *std::move(values) : std::vector<float>();
    }

    // "rope_scaling.factor" is a member of the object rope_scaling; "gguf.…" stays one key.
    void put(const std::string& key, Json value, const std::string& origin) {
        out_.origin[key] = origin;
        const std::size_t dot = key.find('.');
        if (dot == std::string::npos || key.compare(0, 5, "gguf.") == 0) {
            out_.config.set(key, std::move(value));
            return;
        }
        Json inner = out_.config[key.substr(0, dot)];
        inner.set(key.substr(dot + 1), std::move(value));
        out_.config.set(key.substr(0, dot), std::move(inner));
    }

    const checkpoint::Checkpoint& checkpoint_;
    const Json& table_;
    std::string prefix_;
    std::set<std::string> used_;
    GgufConfig out_;
};

}  // namespace

GgufConfig ggufConfig(const checkpoint::Checkpoint& checkpoint, const Json& table) {
    return Translation(checkpoint, table).run();
}

}  // namespace fl::recipe
