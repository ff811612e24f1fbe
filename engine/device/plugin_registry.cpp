// SPDX-License-Identifier: Apache-2.0
#include "engine/device/plugin_registry.h"

#include <algorithm>

#include <dlfcn.h>
#include <unistd.h>

#include "engine/base/text.h"

namespace fl::device {

template <class Table>
static bool complete(const Table* table) {
    return table != nullptr && table->size >= sizeof(Table);
}

// The name of the first thing that is missing, or "".
static std::string missing(const fl_plugin& plugin) {
    if (plugin.name == nullptr || plugin.name[0] == '\0')
        return "a name";
    if (plugin.open == nullptr || plugin.close == nullptr || plugin.last_error == nullptr)
        return "open, close and last_error";
    if (!complete(plugin.device))
        return "a whole device table";
    if (!complete(plugin.memory))
        return "a whole memory table";
    if (!complete(plugin.kernels))
        return "a whole kernel table";
    const fl_device_api& device = *plugin.device;
    if (!device.count || !device.info || !device.open || !device.close || !device.stream_create ||
        !device.stream_destroy || !device.stream_synchronize)
        return "a function of the device table";
    const fl_memory_api& memory = *plugin.memory;
    if (!memory.alloc || !memory.free || !memory.copy_in || !memory.copy_out || !memory.copy ||
        !memory.usage)
        return "a function of the memory table";
    if (!plugin.kernels->find || !plugin.kernels->launch)
        return "find and launch of the kernel table";
    return {};
}

Result<const fl_plugin*> checkPlugin(fl_plugin_entry_fn entry, const std::string& origin) {
    if (entry == nullptr)
        return Error{ErrorCode::Unsupported, origin + ": no symbol " FL_PLUGIN_ENTRY_NAME};
    const std::string ours = "interface version " + std::to_string(FL_ABI_VERSION);
    const fl_plugin* plugin = entry(FL_ABI_VERSION);
    if (plugin == nullptr)
        return Error{ErrorCode::Unsupported, origin + ": the plugin does not speak " + ours};
    if (plugin->size < sizeof(fl_plugin)) {
        return Error{ErrorCode::Unsupported, origin + ": the plugin's table has " +
                                                 std::to_string(plugin->size) + " bytes, " +
                                                 std::to_string(sizeof(fl_plugin)) + " are needed"};
    }
    if (plugin->abi_version != FL_ABI_VERSION) {
        return Error{ErrorCode::Unsupported, origin + ": the plugin speaks interface version " +
                                                 std::to_string(plugin->abi_version) +
                                                 ", this program " + ours};
    }
    if (const std::string lack = missing(*plugin); !lack.empty())
        return Error{ErrorCode::Unsupported, origin + ": the plugin lacks " + lack};
    return plugin;
}

void PluginRegistry::CloseLibrary::operator()(void* library) const {
    dlclose(library);
}

PluginRegistry::PluginRegistry(std::vector<fl_plugin_entry_fn> linked,
                               std::vector<std::string> folders)
    : folders_(std::move(folders)) {
    for (std::size_t i = 0; i < linked.size(); ++i) {
        known_.push_back(
            {nullptr, checkPlugin(linked[i], "linked-in plugin " + std::to_string(i + 1))});
    }
}

PluginRegistry::~PluginRegistry() = default;

std::vector<std::string> PluginRegistry::names() const {
    std::vector<std::string> names;
    for (const Known& known : known_) {
        if (known.plugin)
            names.emplace_back((*known.plugin)->name);
    }
    return names;
}

Result<const fl_plugin*> PluginRegistry::find(std::string_view name) {
    const Error* broken = nullptr;
    for (const Known& known : known_) {
        if (known.plugin && name == (*known.plugin)->name)
            return known.plugin;
        if (!known.plugin)
            broken = &known.plugin.error();
    }
    for (const std::string& folder : folders_) {
        const std::string path = folder + "/libfirstlight_" + std::string(name) + ".so";
        if (name.find('/') == std::string_view::npos && access(path.c_str(), R_OK) == 0)
            return load(path);
    }
    const std::vector<std::string> usable = names();
    std::string message = "no plugin \"" + std::string(name) + "\"; there is " +
                          (usable.empty() ? "none" : join(usable, ", "));
    if (!folders_.empty())
        message += ", and none of that name in " + join(folders_, ", ");
    if (broken != nullptr)
        message += "; " + broken->message;
    return Error{ErrorCode::NotFound, message};
}

Result<const fl_plugin*> PluginRegistry::load(const std::string& path) {
    std::unique_ptr<void, CloseLibrary> library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!library) {
        const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): one thread at a time
        return Error{ErrorCode::Io,
                     "plugin " + path + ": " + (reason != nullptr ? reason : "cannot be loaded")};
    }
    const auto entry =
        reinterpret_cast<fl_plugin_entry_fn>(dlsym(library.get(), FL_PLUGIN_ENTRY_NAME));
    FL_TRY(const fl_plugin* plugin, checkPlugin(entry, "plugin " + path));
    known_.push_back({std::move(library), plugin});
    return plugin;
}

}  // namespace fl::device
