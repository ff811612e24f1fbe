// SPDX-License-Identifier: Apache-2.0
// A first recipe for an architecture that none knows. Part of messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fl::protocol {

// `recipe.draft` → RecipeDraft: a copy of the nearest recipe under the names of the open
// checkpoint.
struct DraftRequest {
    std::string name;  // of the recipe; empty: from the model type
    std::string
        file;  // .lua, on the engine's machine, that is not there yet; empty: none is written
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("file", s.file);
    }
};

struct RecipeDraft {
    std::string recipe;   // its name
    std::string file;     // as asked for
    std::string text;     // Lua
    std::string nearest;  // the recipe that was copied
    double likeness = 0;  // 0 … 1
    int keys = 0;         // of the configuration, that the copy reads
    int tensors = 0;      // names of tensors that it reads
    // Of the checkpoint, and unknown to the copy; "{i}" is any layer, "{}" any expert.
    std::vector<std::string> openKeys;
    std::vector<std::string> openTensors;
    // Needed by the copy, and not there.
    std::vector<std::string> lackingKeys;
    std::vector<std::string> lackingTensors;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("recipe", s.recipe);
        f("file", s.file);
        f("text", s.text);
        f("nearest", s.nearest);
        f("likeness", s.likeness);
        f("keys", s.keys);
        f("tensors", s.tensors);
        f("open_keys", s.openKeys);
        f("open_tensors", s.openTensors);
        f("lacking_keys", s.lackingKeys);
        f("lacking_tensors", s.lackingTensors);
    }
};

}  // namespace fl::protocol
