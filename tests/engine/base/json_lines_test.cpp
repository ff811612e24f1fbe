// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json_lines.h"

#include <gtest/gtest.h>

namespace fl {

TEST(JsonLines, NamesTheLineOfEveryKeyAndItem) {
    const JsonLines lines(
        "{\n"
        "  \"name\": \"a \\\" } b\",\n"
        "  \"nodes\": [\n"
        "    { \"devices\": [], \"count\": 2,\n"
        "      \"memory\":\n"
        "        1e9 },\n"
        "    7, {}\n"
        "  ]\n"
        "}\n");
    EXPECT_EQ(lines.line("name"), 2);
    EXPECT_EQ(lines.line("nodes"), 3);
    EXPECT_EQ(lines.line("nodes[0]"), 4);
    EXPECT_EQ(lines.line("nodes[0].count"), 4);
    EXPECT_EQ(lines.line("nodes[0].memory"), 5);
    EXPECT_EQ(lines.line("nodes[1]"), 7);
    EXPECT_EQ(lines.line("nodes[2]"), 7);
}

TEST(JsonLines, TakesTheNearestPartOfAPathThatIsNotThere) {
    const JsonLines lines("{\n\"a\": {\n\"b\": [1,\n2]}}");
    EXPECT_EQ(lines.line("a.b[1]"), 4);
    EXPECT_EQ(lines.line("a.b[9]"), 3);
    EXPECT_EQ(lines.line("a.c.d"), 2);
    EXPECT_EQ(lines.line("z"), 1);
    EXPECT_EQ(JsonLines("3").line("x"), 1);
}

}  // namespace fl
