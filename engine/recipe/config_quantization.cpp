// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/config_quantization.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/base/checked.h"
#include "engine/base/text.h"
#include "engine/recipe/config_path.h"

namespace fl::recipe {

namespace {

using checkpoint::Inventory;
using checkpoint::TensorInfo;

constexpr std::string_view kQuantization = "quantization_config";

// How each method shows in headers: an eight-bit float, or the end of a tensor's name.
struct Method {
    std::string_view name;
    bool float8;
    std::array<std::string_view, 3> endings;
};
constexpr std::array<Method, 12> kMethods = {{
    {"fp8", true, {}},
    {"fbgemm_fp8", true, {}},
    {"gptq", false, {".qweight"}},
    {"awq", false, {".qweight"}},
    {"auto-round", false, {".qweight", ".weight_packed"}},
    {"compressed-tensors", true, {".weight_packed", ".weight_scale", "_packed"}},
    {"modelopt", true, {".weight_scale", ".weight_scale_2", ".input_scale"}},
    {"mxfp4", false, {"_blocks", ".weight_packed", ".weight_scale"}},
    {"bitsandbytes", false, {".absmax", ".SCB", ".quant_map"}},
    {"hqq", false, {".W_q"}},
    {"quark", true, {".weight_scale"}},
    {"torchao", false, {}},
}};

bool isFloat8(DType type) {
    return type == DType::F8E4M3 || type == DType::F8E5M2;
}

bool shows(const Method& method, const TensorInfo& tensor) {
    return (method.float8 && isFloat8(tensor.dtype)) ||
           std::any_of(method.endings.begin(), method.endings.end(), [&tensor](auto ending) {
               return !ending.empty() && tensor.name.ends_with(ending);
           });
}

bool isStoredSmall(const TensorInfo& tensor) {
    return isFloat8(tensor.dtype) || tensor.name.ends_with(".weight_packed") ||
           tensor.name.ends_with("_blocks") || tensor.name.ends_with(".qweight");
}

// "a(b|c)d" as "abd" and "acd": groups of plain words are written out, others are left.
std::vector<std::string> spelledOut(const std::string& pattern) {
    constexpr std::size_t kMost = 64;  // spellings; and few groups, or their number explodes
    if (std::count(pattern.begin(), pattern.end(), '(') > 3)
        return {pattern};
    const std::size_t open = pattern.find('(');
    const std::size_t close = pattern.find(')', open);
    if (!pattern.starts_with("re:") || close == std::string::npos || pattern[open - 1] == '\\')
        return {pattern};
    const std::string group = pattern.substr(open + 1, close - open - 1);
    const bool repeated =
        close + 1 < pattern.size() &&
        std::string_view("?*+{").find(pattern[close + 1]) != std::string_view::npos;
    if (repeated || group.find_first_of("()[]{}.*+?^$\\") != std::string::npos)
        return {pattern};
    std::vector<std::string> out;
    for (std::size_t from = 0; from <= group.size() && out.size() < kMost;) {
        const std::size_t bar = std::min(group.find('|', from), group.size());
        std::string one = pattern.substr(0, open);
        one.append(group, from, bar - from).append(pattern, close + 1, std::string::npos);
        for (std::string& each : spelledOut(one))
            out.push_back(std::move(each));
        from = bar + 1;
    }
    return out.size() < kMost ? out : std::vector{pattern};
}

// The literal pieces of a module pattern, in order; nothing if the pattern cannot be read. The
// regular expressions of exceptions are names with wildcards, and are matched as such, in linear
// time.
std::optional<std::vector<std::string>> pieces(std::string_view pattern) {
    const bool expression = pattern.starts_with("re:");
    if (expression)
        pattern.remove_prefix(3);
    std::vector<std::string> out(1);
    int open = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        const bool special =
            expression && std::string_view("()[]{}.*+?^$|").find(c) != std::string_view::npos;
        open += special && (c == '(' || c == '[') ? 1 : 0;
        open -= special && (c == ')' || c == ']') ? 1 : 0;
        if (open < 0 || (expression && c == '\\' && i + 1 == pattern.size()))
            return std::nullopt;
        if (expression && c == '\\')
            out.back() += pattern[++i];
        else if (special || c == '*')
            out.emplace_back();
        else if (open == 0)
            out.back() += c;
    }
    if (open != 0)
        return std::nullopt;
    std::erase(out, "");
    return out;
}

bool matches(const std::vector<std::string>& wanted, std::string_view name) {
    std::size_t at = 0;
    for (const std::string& piece : wanted) {
        at = name.find(piece, at);
        if (at == std::string_view::npos)
            return false;
        at += piece.size();
    }
    return true;
}

class Quantization {
public:
    Quantization(const Json& table, std::string path, const Inventory& inventory)
        : table_(table),
          path_(std::move(path)),
          inventory_(inventory) {}

    std::vector<Finding> run() {
        if (!table_.isObject() || table_.size() == 0) {
            add("", "is no description of a quantisation", "an object with quant_method").found =
                shown(table_);
            return std::move(out_);
        }
        method();
        format();
        blockSize();
        word("activation_scheme", {"dynamic", "static"});
        for (const char* key : {"modules_to_not_convert", "ignored_layers", "ignore"})
            exceptions(key);
        return std::move(out_);
    }

private:
    Finding& add(const std::string& key, const std::string& what, std::string expected) {
        Finding& finding = out_.emplace_back();
        finding.code = "config-value";
        finding.stage = "inspect";
        finding.file = "config.json";
        finding.key = key.empty() ? path_ : path_ + "." + key;
        finding.message = fmt::format("configuration key '{}' {}", finding.key, what);
        finding.expected = std::move(expected);
        if (const Json* value = key.empty() ? nullptr : table_.find(key))
            finding.found = shown(*value);
        else if (!key.empty())
            finding.found = "absent";
        finding.remedy = "correct the configuration, or fetch it again";
        return finding;
    }

    // The method that the headers show.
    std::string stored() const {
        for (const TensorInfo& tensor : inventory_.tensors()) {
            for (const Method& method : kMethods) {
                if (shows(method, tensor))
                    return std::string(method.name);
            }
        }
        return "";
    }

    void method() {
        const std::string& name = table_["quant_method"].string();
        std::vector<std::string> known;
        for (const Method& method : kMethods) {
            known.emplace_back(method.name);
            if (method.name != name)
                continue;
            const auto& tensors = inventory_.tensors();
            const bool seen =
                tensors.empty() || method.name == "torchao" ||
                std::any_of(tensors.begin(), tensors.end(),
                            [&method](const TensorInfo& each) { return shows(method, each); });
            if (seen)
                return;
            const std::string held = stored();
            Finding& finding = add("quant_method", "contradicts the tensors of the checkpoint",
                                   (held.empty() ? "none" : held) + " (tensor dtypes)");
            finding.code = "config-contradiction";
            return;
        }
        const std::string held = stored();
        add("quant_method", "names no known method" + nearest(name, known),
            held.empty() ? "one of " + join(known, ", ") : held + " (tensor dtypes)");
    }

    void word(const char* key, std::vector<std::string> known) {
        const Json* const value = table_.find(key);
        if (!value || value->isNull() ||
            std::find(known.begin(), known.end(), value->string()) != known.end())
            return;
        add(key, "has a value that nobody knows", "one of " + join(known, ", "));
    }

    void format() {
        const Json* const value = table_.find("fmt");
        if (!value || value->isNull())
            return;
        std::string held;
        for (const TensorInfo& tensor : inventory_.tensors()) {
            if (isFloat8(tensor.dtype))
                held = tensor.dtype == DType::F8E4M3 ? "e4m3" : "e5m2";
        }
        if (value->string() == held || (held.empty() && value->string() == "e4m3"))
            return;
        add("fmt", "is not the type of the tensors",
            held.empty() ? "e4m3 or e5m2" : held + " (headers)");
    }

    void blockSize() {
        const Json* const value = table_.find("weight_block_size");
        if (!value || value->isNull())
            return;
        const auto& items = value->items();
        const bool numbers =
            items.size() == 2 && std::all_of(items.begin(), items.end(), [](const Json& item) {
                return item.isInteger() && item.integer() > 0;
            });
        if (!numbers) {
            add("weight_block_size", "is no size of blocks", "two numbers above 0");
            return;
        }
        const std::string held = blocksOfScales(items[0].integer(), items[1].integer());
        if (!held.empty())
            add("weight_block_size", "contradicts the scales of the checkpoint",
                held + " (scale shapes)")
                .code = "config-contradiction";
    }

    // "" if most scales fit blocks of rows × columns, else the usual size that they do fit.
    std::string blocksOfScales(std::int64_t rows, std::int64_t columns) const {
        constexpr std::array<std::int64_t, 6> kUsual = {128, 64, 256, 32, 16, 512};
        std::int64_t scales = 0;
        std::int64_t fitting = 0;
        std::array<std::int64_t, kUsual.size()> usual{};
        for (const TensorInfo& scale : inventory_.tensors()) {
            constexpr std::string_view kEnding = "_scale_inv";
            if (!scale.name.ends_with(kEnding) || scale.shape.rank() != 2)
                continue;
            const TensorInfo* weight =
                inventory_.find(scale.name.substr(0, scale.name.size() - kEnding.size()));
            if (!weight || weight->shape.rank() != 2)
                continue;
            const auto fits = [&](std::int64_t r, std::int64_t c) {
                return ceilDivide(weight->shape[0], r) == scale.shape[0] &&
                       ceilDivide(weight->shape[1], c) == scale.shape[1];
            };
            ++scales;
            fitting += fits(rows, columns) ? 1 : 0;
            for (std::size_t i = 0; i < kUsual.size(); ++i)
                usual[i] += fits(kUsual[i], kUsual[i]) ? 1 : 0;
        }
        const auto best = std::max_element(usual.begin(), usual.end());
        if (2 * fitting >= scales || *best <= fitting)
            return "";
        const std::int64_t size = kUsual[static_cast<std::size_t>(best - usual.begin())];
        return fmt::format("[{}, {}]", size, size);
    }

    void exceptions(const char* key) {
        const Json* const value = table_.find(key);
        if (!value || value->isNull())
            return;
        if (!value->isArray()) {
            add(key, "is no list of modules", "a list");
            return;
        }
        for (const Json& item : value->items()) {
            std::vector<std::vector<std::string>> wanted;
            bool fine = true;
            for (const std::string& pattern : spelledOut(item.string())) {
                auto each = pieces(pattern);
                fine = fine && each && !each->empty();
                wanted.push_back(std::move(each).value_or(std::vector<std::string>{}));
            }
            if (!fine)
                add(key, "has a pattern that cannot be read", "a valid pattern").found =
                    shown(item);
            else if (!inventory_.tensors().empty())
                exception(key, item, wanted);
        }
    }

    // `wanted`: spellings, of which a name may have any.
    void exception(const char* key,
                   const Json& item,
                   const std::vector<std::vector<std::string>>& wanted) {
        bool any = false;
        const TensorInfo* quantised = nullptr;
        for (const TensorInfo& tensor : inventory_.tensors()) {
            const auto named = [&tensor](const auto& each) { return matches(each, tensor.name); };
            if (quantised || !std::any_of(wanted.begin(), wanted.end(), named))
                continue;
            any = true;
            quantised = isStoredSmall(tensor) ? &tensor : nullptr;
        }
        if (any && !quantised)
            return;
        Finding& finding =
            add(key, any ? "excepts tensors that are quantised" : "excepts nothing that there is",
                any ? "only what headers hold unquantised" : "each pattern matches a tensor");
        finding.code = "config-contradiction";
        finding.found = shown(item);
        if (quantised)
            finding.tensor = std::string(quantised->name);
    }

    const Json& table_;
    std::string path_;
    const Inventory& inventory_;
    std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> checkQuantization(const Json& config,
                                       const std::string& root,
                                       const Inventory& inventory) {
    std::vector<Finding> out;
    const Json* const top = config.find(kQuantization);
    if (top && !top->isNull())
        out = Quantization(*top, std::string(kQuantization), inventory).run();
    for (const char* name : {"text_config", "language_config", "llm_config"}) {
        const Json& inner = config[name][kQuantization];
        if (inner.isNull())
            continue;
        const std::string path = fmt::format("{}.{}", name, kQuantization);
        if (!top || top->isNull()) {
            if (root == name)
                out = Quantization(inner, path, inventory).run();
        } else if (inner["quant_method"] != (*top)["quant_method"]) {
            Finding& twice = out.emplace_back();
            twice.code = "config-contradiction";
            twice.stage = "inspect";
            twice.file = "config.json";
            twice.key = path;
            twice.message =
                fmt::format("configuration key '{}' contradicts {}", path, kQuantization);
            twice.expected = "agrees with " + std::string(kQuantization);
            twice.found = shown(inner["quant_method"]);
            twice.remedy = "correct the configuration, or fetch it again";
        }
    }
    return out;
}

}  // namespace fl::recipe
