// SPDX-License-Identifier: Apache-2.0
#include "engine/base/visible.h"

#include <gtest/gtest.h>

#include "engine/base/finding.h"

namespace fl {
namespace {

TEST(Visible, ShowsWhatWouldSteerATerminal) {
    EXPECT_EQ(visible("a\nb\x1b[31m\x7f"), "a\\x0ab\\x1b[31m\\x7f");
    EXPECT_EQ(visible("w\u202ethgiew\u2066"), "w\\u202ethgiew\\u2066");
    EXPECT_EQ(visible("model.layers.0.größe.权重"), "model.layers.0.größe.权重");
    EXPECT_EQ(visible(""), "");
}

TEST(Visible, LeavesWhatIsVisibleAsItIs) {
    const std::string once = visible("a\tb\u200f");
    EXPECT_EQ(visible(once), once);
    EXPECT_FALSE(hasControl(once));
    EXPECT_FALSE(hasDirectionMark(once));
}

TEST(Visible, AFindingIsOneLineWhateverItsNames) {
    Finding finding;
    finding.code = "file-unused";
    finding.message = "model-\n\u202e is of no use";
    finding.file = "model-\n\u202e";
    EXPECT_EQ(text(finding).find('\n'), std::string::npos);
    EXPECT_FALSE(hasDirectionMark(text(finding)));
}

}  // namespace
}  // namespace fl
