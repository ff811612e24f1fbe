// SPDX-License-Identifier: Apache-2.0
#include "engine/base/finding.h"

#include <gtest/gtest.h>

namespace fl {
namespace {

Finding finding(std::string code, Severity severity, std::string tensor) {
    Finding out;
    out.code = std::move(code);
    out.severity = severity;
    out.message = "text";
    out.tensor = std::move(tensor);
    return out;
}

TEST(Finding, FoldsEqualFaultsOfManyTensors) {
    std::vector<Finding> many;
    for (int i = 0; i < 8; ++i)
        many.push_back(finding("tensor-missing", Severity::Error, "t" + std::to_string(i)));
    const auto list = folded(many, 3);
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0].count, 8);
    EXPECT_EQ(list[0].tensor, "t0");
    EXPECT_EQ(list[0].examples, (std::vector<std::string>{"t0", "t1", "t2"}));
}

TEST(Finding, KeepsWhatDiffersInMoreThanItsPlace) {
    std::vector<Finding> two(2, finding("tensor-shape", Severity::Error, "t"));
    two[1].found = "[3]";
    EXPECT_EQ(folded(two).size(), 2U);
    two[1] = two[0];
    two[1].rank = 3;
    EXPECT_EQ(folded(two).size(), 2U);
    // Without a place there is nothing to fold by.
    EXPECT_EQ(folded(std::vector<Finding>(2, finding("a", Severity::Error, ""))).size(), 2U);
}

TEST(Finding, PutsErrorsFirstAndKeepsTheOrder) {
    const auto list =
        folded({finding("a", Severity::Info, "1"), finding("b", Severity::Error, "2"),
                finding("c", Severity::Warning, "3"), finding("d", Severity::Error, "4")});
    std::string order;
    for (const Finding& one : list)
        order += one.code;
    EXPECT_EQ(order, "bdca");
    EXPECT_TRUE(hasErrors(list));
    EXPECT_FALSE(hasErrors({list[2], list[3]}));
}

TEST(Finding, WritesOneLineWithEverything) {
    Finding full = finding("shard-truncated", Severity::Error, "w");
    full.file = "a.safetensors";
    full.rank = 2;
    full.count = 3;
    full.expected = "10";
    full.found = "8";
    full.remedy = "fetch it again";
    EXPECT_EQ(text(full),
              "error shard-truncated: text (a.safetensors; w; rank 2; 3 times), expected 10, found "
              "8 \u2014 fetch it again");
    EXPECT_EQ(text(finding("x", Severity::Info, "")), "info x: text");
}

TEST(Finding, CarriesAnError) {
    const Finding one = fromError({ErrorCode::Io, "disk on fire"}, "load-failed", "load");
    EXPECT_EQ(one.code, "load-failed");
    EXPECT_EQ(one.stage, "load");
    EXPECT_EQ(one.message, "disk on fire");
    EXPECT_EQ(one.severity, Severity::Error);
}

}  // namespace
}  // namespace fl
