// SPDX-License-Identifier: Apache-2.0
// Covers: plugins/cpu/text.cpp
#include "plugins/cpu/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/cpu/text.h"

namespace fl::plugins::cpu {
namespace {

using testing::HasSubstr;

constexpr Machine kMachine{std::int64_t{12} << 30, 8};

Options good(std::string_view text) {
    const auto parsed = parseOptions(text, kMachine);
    if (const auto* wrong = std::get_if<std::string>(&parsed))
        ADD_FAILURE() << *wrong;
    const auto* options = std::get_if<Options>(&parsed);
    return options != nullptr ? *options : Options{};
}

std::string bad(std::string_view text) {
    const auto parsed = parseOptions(text, kMachine);
    const auto* wrong = std::get_if<std::string>(&parsed);
    return wrong != nullptr ? *wrong : "accepted";
}

TEST(CpuOptions, DefaultToTheWholeMachine) {
    const Options options = good("");
    EXPECT_EQ(options.cards, 1);
    EXPECT_EQ(options.memoryBytes, std::int64_t{12} << 30);
    EXPECT_EQ(options.threads, 8);
}

TEST(CpuOptions, ShareTheMachineBetweenCards) {
    EXPECT_EQ(good("cards=6").memoryBytes, std::int64_t{2} << 30);
    EXPECT_EQ(good("cards=6").threads, 1);
    EXPECT_EQ(good("cards=4").threads, 2);
    EXPECT_EQ(good("cards=100").threads, 1);
}

TEST(CpuOptions, TakeWhatIsSaidInAnyOrder) {
    const Options options = good("memory=512MiB,threads=3,cards=2");
    EXPECT_EQ(options.cards, 2);
    EXPECT_EQ(options.memoryBytes, 512 << 20);
    EXPECT_EQ(options.threads, 3);
}

TEST(CpuOptions, NameTheUnknownKeyAndTheValidOnes) {
    EXPECT_THAT(bad("cards=2,gpus=3"), HasSubstr("unknown option \"gpus\""));
    EXPECT_THAT(bad("gpus=3"), HasSubstr("cards=1…4096, memory=SIZE such as 512MiB"));
}

TEST(CpuOptions, NameTheBadValue) {
    for (const char* text : {"cards=0", "cards=-1", "cards=4097", "cards=two", "cards", "cards=2x",
                             "threads=", "threads=99999999999999999999", "memory=0", "memory=2GB",
                             "memory=GiB", "memory=99999999999TiB"}) {
        EXPECT_THAT(bad(text), HasSubstr("bad value in \"" + std::string(text) + "\"")) << text;
    }
}

TEST(CpuOptions, MeasureThisMachine) {
    const Machine machine = thisMachine();
    EXPECT_GT(machine.memoryBytes, 0);
    EXPECT_GE(machine.cores, 1);
}

TEST(CpuText, WritesSizesAsPeopleDo) {
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(12), "12 B");
    EXPECT_EQ(formatBytes(512 << 20), "512 MiB");
    EXPECT_EQ(formatBytes((std::int64_t{1} << 30) + (std::int64_t{820} << 20)), "1.8 GiB");
    EXPECT_EQ(formatShare(0, std::int64_t{2} << 30), "0.0 of 2.0 GiB");
    EXPECT_EQ(formatShare(100, 200), "100 of 200 B");
}

TEST(CpuText, ReadsSizesAndNothingElse) {
    EXPECT_EQ(parseBytes("4096"), 4096);
    EXPECT_EQ(parseBytes("2GiB"), std::int64_t{2} << 30);
    EXPECT_EQ(parseBytes("512 MiB"), 512 << 20);
    for (const char* text : {"", "MiB", "-1", "1.5GiB", "2gib", "2 GiB ", "9223372036854775808"})
        EXPECT_EQ(parseBytes(text), std::nullopt) << text;
}

}  // namespace
}  // namespace fl::plugins::cpu
