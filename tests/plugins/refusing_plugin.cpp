// SPDX-License-Identifier: Apache-2.0
// The CPU plugin with one card that has no room for one kind of memory, for end-to-end tests:
// "refusing:refuse=kv@1,cards=2" fills card 1 right before it is asked for memory of the category
// kv, so that the refusal is the real one.
#include <array>
#include <string>
#include <string_view>

#include "plugins/cpu/handles.h"
#include "plugins/cpu/plugin.h"

namespace {

constexpr std::array<std::string_view, FL_MEMORY_CATEGORIES> kNames = {
    "weights", "scales", "kv", "state", "activations", "communication", "context", "staging"};

// What to refuse: of the one backend that a rank opens.
std::string category;  // NOLINT(cert-err58-cpp)
int card = -1;

const fl_plugin& cpu() {
    return *fl::plugins::cpu::pluginEntry(FL_ABI_VERSION);
}

fl_status open(const char* options, fl_backend** out) {
    const std::string_view text = options;
    const std::size_t at = text.find('@');
    const std::size_t comma = text.find(',');
    if (!text.starts_with("refuse=") || at == std::string_view::npos)
        return FL_INVALID_ARGUMENT;
    category = text.substr(7, at - 7);
    card = text[at + 1] - '0';
    const std::string rest(comma == std::string_view::npos ? "" : text.substr(comma + 1));
    return cpu().open(rest.c_str(), out);
}

fl_status alloc(fl_device* device, std::int64_t bytes, std::int32_t kind, void** out) {
    if (device->card != card || kNames.at(static_cast<std::size_t>(kind)) != category)
        return cpu().memory->alloc(device, bytes, kind, out);
    const std::int64_t room = device->budget.limit() - device->budget.used();
    void* filler = nullptr;
    cpu().memory->alloc(device, room - bytes / 2, FL_MEMORY_STAGING, &filler);
    const fl_status status = cpu().memory->alloc(device, bytes, kind, out);
    cpu().memory->free(device, filler);
    return status;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const fl_plugin* fl_plugin_entry(
    std::uint32_t abiVersion) {
    static const fl_memory_api kMemory = [] {
        fl_memory_api api = *cpu().memory;
        api.alloc = alloc;
        return api;
    }();
    static const fl_plugin kPlugin = [] {
        fl_plugin plugin = cpu();
        plugin.name = "refusing";
        plugin.open = open;
        plugin.memory = &kMemory;
        return plugin;
    }();
    return abiVersion == FL_ABI_VERSION ? &kPlugin : nullptr;
}
