// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/config_identity.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/recipe/config_path.h"
#include "engine/recipe/config_quantization.h"

namespace fl::recipe {

namespace {

using checkpoint::TensorInfo;

constexpr const char* kFile = "config.json";
constexpr std::string_view kQuantization = "quantization_config";

Finding finding(Severity severity, std::string code, std::string key, const std::string& what) {
    Finding out;
    out.code = std::move(code);
    out.severity = severity;
    out.stage = "inspect";
    out.file = kFile;
    out.message = fmt::format("configuration key '{}' {}", key, what);
    out.key = std::move(key);
    out.remedy = "correct the configuration, or fetch it again";
    return out;
}

std::string foundText(const Json* value) {
    return value ? shown(*value) : "absent";
}

class Identity {
public:
    Identity(const checkpoint::Checkpoint& checkpoint, const Recipe* recipe)
        : config_(checkpoint.config),
          checkpoint_(checkpoint),
          recipe_(recipe) {}

    std::vector<Finding> run() {
        architectures();
        modelType();
        remoteCode();
        storedType();
        quantization();
        visionTower();
        return std::move(out_);
    }

private:
    Finding& add(Severity severity, std::string code, std::string_view key, const char* what) {
        return out_.emplace_back(finding(severity, std::move(code), std::string(key), what));
    }

    void architectures() {
        const Json* const found = config_.find("architectures");
        const std::string wanted = recipe_ && !recipe_->architectures.empty()
                                       ? fmt::format("['{}']", recipe_->architectures.front())
                                       : "a list of one text";
        if (!found) {
            Finding& absent = add(Severity::Warning, "config-key-missing", "architectures",
                                  "is missing, the model type is taken for it");
            absent.expected = wanted;
            absent.found = "absent";
            return;
        }
        if (found->isArray() && found->size() == 1 && found->items().front().isString())
            return;
        Finding& wrong =
            add(Severity::Error, "config-value", "architectures", "does not name one architecture");
        wrong.expected = wanted;
        wrong.found = shown(*found);
    }

    void modelType() {
        const Json* const found = config_.find("model_type");
        if (!recipe_ || recipe_->modelTypes.empty())
            return;
        const auto& types = recipe_->modelTypes;
        if (found && std::find(types.begin(), types.end(), found->string()) != types.end())
            return;
        Finding& wrong =
            add(Severity::Error, found ? "config-contradiction" : "config-key-missing",
                "model_type", found ? "is not that of the architecture" : "is missing");
        wrong.expected = fmt::format("{} (of recipe {})", join(types, " or "), recipe_->name);
        wrong.found = foundText(found);
    }

    void remoteCode() {
        const Json& map = config_["auto_map"];
        if (map.isNull())
            return;
        std::string code;
        for (const auto& [name, target] : map.members())
            code = target.isString() ? target.string() : code;
        Finding& note = add(Severity::Warning, "remote-code", "auto_map",
                            "wants code of the checkpoint to be run; it never is");
        note.expected = "no remote code";
        note.found = fmt::format("{}.py (never run)", code.substr(0, code.rfind('.')));
        note.remedy = "none needed: the recipe stands for this code";
    }

    // The type of most bytes that are plain numbers.
    std::string_view dtypeOfHeaders() const {
        std::map<DType, std::int64_t> bytes;
        for (const TensorInfo& tensor : checkpoint_.inventory.tensors()) {
            if (tensor.dtype == DType::F32 || tensor.dtype == DType::F16 ||
                tensor.dtype == DType::BF16)
                bytes[tensor.dtype] += std::max<std::int64_t>(tensor.bytes, 0) / 16;
        }
        const auto most =
            std::max_element(bytes.begin(), bytes.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        if (most == bytes.end())
            return "";
        return most->first == DType::F32   ? "float32"
               : most->first == DType::F16 ? "float16"
                                           : "bfloat16";
    }

    void storedType() {
        const std::string_view stored = dtypeOfHeaders();
        const std::string& older = config_["torch_dtype"].string();
        const std::string& newer = config_["dtype"].string();
        const std::array<std::string_view, 3> plain = {"float32", "float16", "bfloat16"};
        const auto known = [&plain](const std::string& word) {
            return std::find(plain.begin(), plain.end(), word) != plain.end();
        };
        if (!older.empty() && !newer.empty() && older != newer) {
            Finding& twice =
                add(Severity::Warning, "config-contradiction", "dtype", "contradicts torch_dtype");
            twice.expected = older + " (torch_dtype)";
            twice.found = newer;
        }
        const std::string& word = newer.empty() ? older : newer;
        if (stored.empty() || !known(word) || word == stored)
            return;
        Finding& other =
            add(Severity::Warning, "config-contradiction", newer.empty() ? "torch_dtype" : "dtype",
                "is not the type that most weights are stored in");
        other.expected = fmt::format("{} (headers)", stored);
        other.found = word;
        other.remedy = "none needed: what the headers say is read";
    }

    bool holdsQuantised(std::string& found) const {
        std::int64_t small = 0;
        const TensorInfo* first = nullptr;
        for (const TensorInfo& tensor : checkpoint_.inventory.tensors()) {
            const bool eight = tensor.dtype == DType::F8E4M3 || tensor.dtype == DType::F8E5M2;
            const bool packed = tensor.name.ends_with(".weight_packed") ||
                                tensor.name.ends_with("_blocks") ||
                                tensor.name.ends_with(".qweight");
            if (!eight && !packed)
                continue;
            first = first ? first : &tensor;
            ++small;
        }
        if (first)
            found = fmt::format("{} tensors like {} ({})", small, first->name, name(first->dtype));
        return first != nullptr;
    }

    // A quantised model whose configuration does not say so, or says it where nobody looks.
    void quantization() {
        const std::string root = recipe_ ? recipe_->rules.root : "";
        const Json& own = root.empty() ? config_ : config_[root];
        const bool declared = config_[kQuantization].isObject() || own[kQuantization].isObject();
        std::string stored;
        if (declared || !holdsQuantised(stored))
            return;
        std::string elsewhere = "absent";
        for (const auto& [key, value] : config_.members()) {
            if (value.find("quant_method"))
                elsewhere = key;
            if (value[kQuantization].isObject())
                elsewhere = "in " + key;
        }
        Finding& undeclared = add(Severity::Error, "quantization-undeclared", kQuantization,
                                  "does not say how the weights are quantised");
        undeclared.expected = "present: headers hold " + stored;
        undeclared.found =
            config_.find(kQuantization) && elsewhere == "absent" ? "null" : elsewhere;
    }

    // A model that is said to see must have something to see with.
    void visionTower() {
        const Json* const vision = config_.find("vision_config");
        const auto& tensors = checkpoint_.inventory.tensors();
        if (!vision || !vision->isObject() || tensors.empty())
            return;
        constexpr std::array<std::string_view, 4> kWords = {"vision", "visual", "patch_embed",
                                                            "image"};
        const bool sees = std::any_of(tensors.begin(), tensors.end(), [&](const TensorInfo& each) {
            return std::any_of(kWords.begin(), kWords.end(), [&each](std::string_view word) {
                return each.name.find(word) != std::string_view::npos;
            });
        });
        if (sees)
            return;
        Finding& blind = add(Severity::Error, "config-contradiction", "vision_config",
                             "describes a vision tower that the checkpoint does not have");
        blind.expected = "vision tensors";
        blind.found = "none";
    }

    const Json& config_;
    const checkpoint::Checkpoint& checkpoint_;
    const Recipe* recipe_;
    std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> checkIdentity(const checkpoint::Checkpoint& checkpoint, const Recipe* recipe) {
    std::vector<Finding> out = Identity(checkpoint, recipe).run();
    auto more = checkQuantization(checkpoint.config, recipe ? recipe->rules.root : "",
                                  checkpoint.inventory);
    out.insert(out.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
    return out;
}

std::vector<Finding> checkNesting(const Json& config,
                                  const ConfigRules& rules,
                                  const std::string& file) {
    std::vector<Finding> out;
    if (rules.root.empty())
        return out;
    const Json* const inner = config.find(rules.root);
    if (!inner || !inner->isObject() || inner->size() == 0) {
        Finding& absent =
            out.emplace_back(finding(Severity::Error, "config-key-missing", rules.root,
                                     "holds no description of the model"));
        absent.expected = "an object with keys";
        absent.found = inner ? shown(*inner) : "absent";
        absent.file = file;
        return out;
    }
    for (const KeyRule& rule : rules.keys) {
        const Json* const outside = config.find(rule.key);
        const Json* const inside = inner->find(rule.key);
        if (!outside || !inside || *outside == *inside || !outside->isNumber())
            continue;
        Finding& twice = out.emplace_back(finding(Severity::Error, "config-contradiction", rule.key,
                                                  "is in " + rules.root + " and beside it"));
        twice.expected = fmt::format("only in {} ({})", rules.root, shown(*inside));
        twice.found = fmt::format("{} against {}", shown(*outside), shown(*inside));
        twice.file = file;
    }
    return out;
}

}  // namespace fl::recipe
