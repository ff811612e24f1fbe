// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/recipe_draft.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/recipe/config_path.h"

namespace fl::recipe {

namespace {

using Numbers = std::vector<std::pair<std::string, std::int64_t>>;

// Lists longer than this are cut: a draft is read by people.
constexpr std::size_t kMostLines = 60;

Numbers numbersOf(const Json& config) {
    Numbers out;
    for (const auto& [key, value] : config.members()) {
        const bool id = key.ends_with("_token_id") || key.ends_with("_position_embeddings");
        if (value.isInteger() && value.integer() > 0 && !id)
            out.emplace_back(key, value.integer());
    }
    return out;
}

// Only what can stand in a Lua text and a file name.
std::string plainName(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0;
        out += word ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '_';
    }
    return out.empty() ? "new_model" : out.substr(0, 60);
}

// A text of the configuration as a Lua literal.
std::string luaQuoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text.substr(0, 200)) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

// The line that begins with `field = ` in the table of the recipe, or its several lines.
bool replaceField(std::string& text, const std::string& field, const std::string& value) {
    const std::string begin = "\n  " + field + " = ";
    const std::size_t at = text.find(begin);
    if (at == std::string::npos)
        return false;
    const std::size_t from = at + begin.size();
    const bool table = text.compare(from, 1, "{") == 0;
    const std::size_t end = table ? text.find('}', from) + 1 : text.find_first_of(",\n", from);
    text.replace(from, end - from, value);
    return true;
}

class Draft {
public:
    Draft(const Json& config, const checkpoint::Inventory& inventory, const Likeness& nearest)
        : root_(nearest.recipe->rules.root.empty() ? config : config[nearest.recipe->rules.root]),
          inventory_(inventory),
          nearest_(nearest) {
        for (const checkpoint::TensorInfo& tensor : inventory.tensors())
            firstOf_.try_emplace(namePattern(tensor.name), &tensor);
    }

    std::string comment(const std::string& architecture) {
        line(fmt::format("{}: drafted as a copy of recipe {}, the nearest that there is.",
                         architecture, nearest_.text()));
        line(
            "What follows is what the copy does not know. Read each in the model's own code; "
            "declare");
        line("and use it below, or say in `build` why it changes nothing (c.ignore, host.ignore).");
        list("Keys of the configuration", nearest_.openKeys, [this](const std::string& key) {
            return fmt::format("{} = {}", key, shown(root_[key]));
        });
        list("Keys of the copy that the configuration lacks", nearest_.lackingKeys,
             [](const std::string& key) { return key; });
        list("Tensors of the checkpoint, and what their dimensions could be", nearest_.openTensors,
             [this](const std::string& pattern) { return pattern + " " + shapeOf(pattern); });
        if (inventory_.size() > 0)
            list("Tensors of the copy that the checkpoint lacks", nearest_.lackingTensors,
                 [](const std::string& pattern) { return pattern; });
        return std::move(out_);
    }

private:
    // Whatever the configuration says stays within the comment.
    void line(std::string text) {
        std::replace_if(
            text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; },
            ' ');
        out_ += "-- " + text.substr(0, 400) + "\n";
    }

    template <class Show>
    void list(const char* title, const std::vector<std::string>& items, const Show& show) {
        if (items.empty())
            return;
        line(fmt::format("{}:", title));
        for (std::size_t i = 0; i < items.size() && i < kMostLines; ++i) {
            line("  " + show(items[i]));
        }
        if (items.size() > kMostLines)
            line(fmt::format("  … and {} more", items.size() - kMostLines));
    }

    std::string shapeOf(const std::string& pattern) const {
        const auto at = firstOf_.find(pattern);
        if (at == firstOf_.end())
            return "";
        const checkpoint::TensorInfo& tensor = *at->second;
        std::vector<std::string> dims;
        for (const std::int64_t dim : tensor.shape.dims())
            dims.push_back(dimensionText(dim, root_));
        return fmt::format("{} [{}]", fl::name(tensor.dtype), join(dims, ", "));
    }

    const Json& root_;
    const checkpoint::Inventory& inventory_;
    const Likeness& nearest_;
    std::map<std::string, const checkpoint::TensorInfo*> firstOf_;  // tensors, by name pattern
    std::string out_;
};

}  // namespace

std::string dimensionText(std::int64_t dimension, const Json& config) {
    const Numbers numbers = numbersOf(config);
    std::vector<std::string> words;
    for (const auto& [key, value] : numbers) {
        if (value == dimension)
            words.push_back(key);
    }
    for (std::size_t i = 0; words.empty() && i < numbers.size(); ++i) {
        for (std::size_t j = i; j < numbers.size(); ++j) {
            const auto& [a, x] = numbers[i];
            const auto& [b, y] = numbers[j];
            if (x > 1 && y > 1 && i != j && dimension / x == y && dimension % x == 0)
                words.push_back(a + " * " + b);
            else if (i != j && x > 4 && y > 4 && x == dimension - y)
                words.push_back(a + " + " + b);
        }
    }
    for (std::size_t i = 0; words.empty() && i < numbers.size(); ++i) {
        const auto& [key, value] = numbers[i];
        if (value >= 16 && dimension % value == 0 && dimension / value <= 8)
            words.push_back(fmt::format("{} * {}", dimension / value, key));
    }
    if (words.size() > 3)
        words.resize(3);
    return words.empty() ? std::to_string(dimension) : join(words, " or ");
}

Result<RecipeDraft> draftRecipe(const Json& config,
                                const checkpoint::Inventory& inventory,
                                const std::string& name) {
    const Json& architectures = config["architectures"];
    const std::string& type = config["model_type"].string();
    const std::string architecture =
        !architectures.items().empty() ? architectures.item(0).string() : type;
    if (architecture.empty())
        return Error{ErrorCode::InvalidArgument,
                     "the configuration names no architecture: nothing to write a recipe for"};
    FL_TRY(const RecipeSet set, RecipeSet::open(resourcesDir()));
    const std::vector<Likeness> all = measureLikeness(set, config, inventory);
    if (all.empty())
        return Error{ErrorCode::NotFound, "there is no recipe to begin with"};
    const Likeness& nearest = all.front();
    FL_TRY(std::string text, readFile(nearest.recipe->file));
    RecipeDraft draft;
    draft.name = plainName(name.empty() ? (type.empty() ? architecture : type) : name);
    replaceField(text, "name", luaQuoted(draft.name));
    replaceField(text, "architectures", "{ " + luaQuoted(architecture) + " }");
    replaceField(text, "model_types", type.empty() ? "{}" : "{ " + luaQuoted(type) + " }");
    // Behind the licence line.
    const std::size_t head = text.find('\n') + 1;
    draft.text = text.substr(0, head) + Draft(config, inventory, nearest).comment(architecture) +
                 "--\n" + text.substr(head);
    draft.nearestName = nearest.recipe->name;
    draft.nearest = nearest;
    draft.nearest.recipe = nullptr;
    return draft;
}

Status saveDraft(const RecipeDraft& draft, const std::string& path) {
    if (!path.ends_with(".lua"))
        return Error{ErrorCode::InvalidArgument, path + ": a recipe's file ends in .lua"};
    if (std::filesystem::exists(path))
        return Error{ErrorCode::InvalidArgument, path + " is there already"};
    return writeFile(path, draft.text);
}

}  // namespace fl::recipe
