// SPDX-License-Identifier: Apache-2.0
#include "engine/device/status.h"

#include <gtest/gtest.h>

namespace fl::device {
namespace {

const char* g_sentence = "";

fl_plugin plugin(const char* sentence) {
    g_sentence = sentence;
    fl_plugin made{};
    made.size = sizeof made;
    made.name = "x";
    made.last_error = [] { return g_sentence; };
    return made;
}

TEST(DeviceStatus, MapsEveryStatusThereAndBack) {
    for (int value = FL_CANCELLED; value <= FL_UNSUPPORTED; ++value) {
        const auto status = static_cast<fl_status>(value);
        EXPECT_EQ(statusOf(errorCode(status)), status) << value;
    }
    EXPECT_EQ(statusOf(ErrorCode::Corrupt), FL_INTERNAL);
}

TEST(DeviceStatus, KeepsThePluginsSentence) {
    const Error error = pluginError(plugin("card 1 melted"), FL_DEVICE_LOST, "launch");
    EXPECT_EQ(error.code, ErrorCode::DeviceLost);
    EXPECT_EQ(error.message, "card 1 melted");
}

TEST(DeviceStatus, SaysWhatFailedWhereThePluginDoesNot) {
    const auto status = checked(plugin(""), FL_IO, "launch");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "plugin x: launch failed with status 5");
}

TEST(DeviceStatus, IsDoneWhenAllIsWell) {
    EXPECT_TRUE(checked(plugin("old news"), FL_OK, "launch"));
}

}  // namespace
}  // namespace fl::device
