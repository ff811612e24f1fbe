// SPDX-License-Identifier: Apache-2.0
#include "engine/device/plugin_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/cpu/plugin.h"

namespace fl::device {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const fl_plugin& cpu() {
    return *plugins::cpu::pluginEntry(FL_ABI_VERSION);
}

const fl_plugin* silent(std::uint32_t /*version*/) {
    return nullptr;
}

const fl_plugin* shortTable(std::uint32_t /*version*/) {
    static fl_plugin plugin = cpu();
    plugin.size = sizeof plugin - 8;
    return &plugin;
}

const fl_plugin* newer(std::uint32_t /*version*/) {
    static fl_plugin plugin = cpu();
    plugin.abi_version = FL_ABI_VERSION + 1;
    return &plugin;
}

const fl_plugin* withoutKernels(std::uint32_t /*version*/) {
    static fl_plugin plugin = cpu();
    plugin.kernels = nullptr;
    return &plugin;
}

const fl_plugin* shortMemory(std::uint32_t /*version*/) {
    static fl_memory_api memory = *cpu().memory;
    memory.size = 16;
    static fl_plugin plugin = cpu();
    plugin.memory = &memory;
    return &plugin;
}

const fl_plugin* withoutAlloc(std::uint32_t /*version*/) {
    static fl_memory_api memory = *cpu().memory;
    memory.alloc = nullptr;
    static fl_plugin plugin = cpu();
    plugin.memory = &memory;
    return &plugin;
}

std::string refusal(fl_plugin_entry_fn entry) {
    const auto plugin = checkPlugin(entry, "plugin x.so");
    return plugin ? "accepted" : plugin.error().message;
}

TEST(PluginRegistry, NamesThePluginAndWhatIsWrongWithIt) {
    EXPECT_EQ(refusal(nullptr), "plugin x.so: no symbol fl_plugin_entry");
    EXPECT_EQ(refusal(silent), "plugin x.so: the plugin does not speak interface version 1");
    EXPECT_THAT(refusal(shortTable), HasSubstr("plugin x.so: the plugin's table has"));
    EXPECT_THAT(refusal(newer), HasSubstr("speaks interface version 2, this program interface"));
    EXPECT_THAT(refusal(withoutKernels), HasSubstr("lacks a whole kernel table"));
    EXPECT_THAT(refusal(shortMemory), HasSubstr("lacks a whole memory table"));
    EXPECT_THAT(refusal(withoutAlloc), HasSubstr("lacks a function of the memory table"));
}

TEST(PluginRegistry, FindsWhatIsLinkedIn) {
    PluginRegistry registry({plugins::cpu::pluginEntry});
    EXPECT_THAT(registry.names(), ElementsAre("cpu"));
    const auto plugin = registry.find("cpu");
    ASSERT_TRUE(plugin);
    EXPECT_EQ(*plugin, &cpu());
}

TEST(PluginRegistry, ListsWhatThereIsWhenThereIsNoSuchPlugin) {
    PluginRegistry registry({plugins::cpu::pluginEntry}, {"/nowhere"});
    const auto plugin = registry.find("cuda");
    ASSERT_FALSE(plugin);
    EXPECT_EQ(plugin.error().code, ErrorCode::NotFound);
    EXPECT_EQ(plugin.error().message,
              "no plugin \"cuda\"; there is cpu, and none of that name in /nowhere");
}

TEST(PluginRegistry, SaysWhyALinkedPluginIsOfNoUse) {
    PluginRegistry registry({newer});
    const auto plugin = registry.find("cpu");
    ASSERT_FALSE(plugin);
    EXPECT_THAT(plugin.error().message, HasSubstr("linked-in plugin 1: the plugin speaks"));
}

TEST(PluginRegistry, LoadsByPathAndKeepsIt) {
    PluginRegistry registry({});
    const auto loaded = registry.load(FIRSTLIGHT_CPU_PLUGIN);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_STREQ((*loaded)->name, "cpu");
    EXPECT_THAT(registry.names(), ElementsAre("cpu"));
    EXPECT_EQ(*registry.find("cpu"), *loaded);
}

TEST(PluginRegistry, FindsPluginsInItsFolders) {
    const std::string path = FIRSTLIGHT_CPU_PLUGIN;
    PluginRegistry registry({}, {"/nowhere", path.substr(0, path.rfind('/'))});
    EXPECT_TRUE(registry.names().empty());
    EXPECT_TRUE(registry.find("cpu"));
    EXPECT_FALSE(registry.find("../plugins/cpu"));
}

TEST(PluginRegistry, SaysWhyAFileCannotBeLoaded) {
    PluginRegistry registry({});
    const auto missing = registry.load("/nowhere/libfirstlight_x.so");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("plugin /nowhere/libfirstlight_x.so: "));
    const auto other = registry.load("libm.so.6");
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().message, "plugin libm.so.6: no symbol fl_plugin_entry");
}

}  // namespace
}  // namespace fl::device
