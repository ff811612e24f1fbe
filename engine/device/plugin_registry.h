// SPDX-License-Identifier: Apache-2.0
// The plugins a program can use: those linked in, and those loaded by name or path.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "plugins/abi/firstlight_device.h"

namespace fl::device {

// The table if `entry` speaks our interface version and offers what the engine cannot do without;
// else an error that begins with `origin`.
Result<const fl_plugin*> checkPlugin(fl_plugin_entry_fn entry, const std::string& origin);

// Outlives every device opened through it. One thread at a time.
class PluginRegistry {
public:
    // `folders` are searched in order for libfirstlight_<name>.so.
    explicit PluginRegistry(std::vector<fl_plugin_entry_fn> linked,
                            std::vector<std::string> folders = {});
    ~PluginRegistry();
    PluginRegistry(const PluginRegistry&) = delete;
    PluginRegistry& operator=(const PluginRegistry&) = delete;

    // A linked plugin, one loaded before, or one found in the folders. NotFound lists what there
    // is.
    Result<const fl_plugin*> find(std::string_view name);
    // Loads a plugin from a file and keeps it for find().
    Result<const fl_plugin*> load(const std::string& path);
    // Usable without loading anything more.
    std::vector<std::string> names() const;

private:
    struct CloseLibrary {
        void operator()(void* library) const;
    };
    struct Known {
        std::unique_ptr<void, CloseLibrary> library;  // null: linked in
        Result<const fl_plugin*> plugin;
    };

    std::vector<std::string> folders_;
    std::vector<Known> known_;
};

}  // namespace fl::device
