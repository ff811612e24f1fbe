// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/finding_list.h"

#include <gtest/gtest.h>

namespace fl::checkpoint {
namespace {

TEST(FindingList, KeepsAHundredOfACodeAndCountsTheRest) {
    FindingList findings;
    for (int i = 0; i < 1000; ++i) {
        Finding& finding = findings.error("a", "file", "text");
        finding.found = std::to_string(i);  // so that nothing folds
    }
    findings.warning("b", "file", "text").tensor = "x";
    EXPECT_FALSE(findings.empty());
    const auto list = findings.take();
    ASSERT_EQ(list.size(), 101U);
    EXPECT_EQ(list[98].count, 1);
    EXPECT_EQ(list[99].count, 901);
    EXPECT_EQ(list[99].found, "99");
    EXPECT_EQ(list[100].code, "b");
    EXPECT_EQ(list[100].severity, Severity::Warning);
    EXPECT_EQ(list[100].stage, "inspect");
    EXPECT_TRUE(findings.empty());
}

TEST(FindingList, FoldsWhatDiffersOnlyInItsPlace) {
    FindingList findings;
    for (const char* tensor : {"x", "y", "z"})
        findings.error("a", "file", "text").tensor = tensor;
    const auto list = findings.take();
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0].count, 3);
    EXPECT_EQ(list[0].examples, (std::vector<std::string>{"x", "y", "z"}));
}

}  // namespace
}  // namespace fl::checkpoint
