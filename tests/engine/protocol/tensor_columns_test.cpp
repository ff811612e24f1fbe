// SPDX-License-Identifier: Apache-2.0
#include "engine/protocol/tensor_columns.h"

#include <tuple>

#include <gtest/gtest.h>

#include "engine/base/base64.h"

namespace fl::protocol {
namespace {

using Row = std::tuple<std::string, std::size_t, int>;

std::vector<TensorForm> forms() {
    return {{"bf16", {4, 8}, 64, "matched", "mlp"},
            {"f32", {}, 4, "ignored", ""},
            {"", {8}, 0, "missing", "norm"}};
}

TensorColumns pack(const std::vector<TensorForm>& known, const std::vector<Row>& rows) {
    TensorPacker packer(known);
    for (const auto& [name, form, shard] : rows)
        packer.add(name, form, shard);
    return packer.take(99, 7);
}

Result<std::vector<Row>> unpack(const TensorColumns& page) {
    std::vector<Row> rows;
    FL_DO(unpackTensors(page, [&](std::string_view name, std::size_t form, int shard) {
        rows.emplace_back(name, form, shard);
    }));
    return rows;
}

TensorColumns withRecords(const std::string& bytes, std::int64_t count) {
    TensorColumns page;
    page.count = count;
    page.forms = forms();
    page.records = encodeBase64(std::as_bytes(std::span(bytes)));
    return page;
}

TEST(TensorColumns, ComeBackAsTheyWent) {
    const std::vector<TensorForm> known = forms();
    const std::string longName(70000, 'x');
    const TensorColumns page = pack(known, {{"layers.9.up", 2, -1},
                                            {"layers.10.up", 0, 300},
                                            {"layers.10.upper", 2, 0},
                                            {longName, 0, 65536},
                                            {"Bär", 0, 1},
                                            {"Bär", 0, 2}});
    EXPECT_EQ(page.total, 99);
    EXPECT_EQ(page.offset, 7);
    ASSERT_EQ(page.forms.size(), 2u);  // only those that are used, in that order
    EXPECT_EQ(page.forms[0], known[2]);
    const auto rows = unpack(page);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_EQ(*rows, (std::vector<Row>{{"layers.9.up", 0, -1},
                                       {"layers.10.up", 1, 300},
                                       {"layers.10.upper", 0, 0},
                                       {longName, 1, 65536},
                                       {"Bär", 1, 1},
                                       {"Bär", 1, 2}}));
}

TEST(TensorColumns, StartAnewWithEachPage) {
    const std::vector<TensorForm> known = forms();
    TensorPacker packer(known);
    packer.add("layers.1.up", 0, 0);
    packer.take(2, 0);
    packer.add("layers.2.up", 1, 0);
    const auto second = unpack(packer.take(2, 1));
    ASSERT_TRUE(second);
    EXPECT_EQ(*second, (std::vector<Row>{{"layers.2.up", 0, 0}}));
}

TEST(TensorColumns, RefuseRecordsThatLie) {
    const std::string good(
        "\x00\x01"
        "a\x00\x01",
        5);
    ASSERT_TRUE(unpack(withRecords(good, 1)));
    EXPECT_FALSE(unpack(withRecords(good, 2)));        // fewer than said
    EXPECT_FALSE(unpack(withRecords(good + "x", 1)));  // more than said
    for (const std::string& bad : {std::string("\x01\x01"
                                               "a\x00\x01",
                                               5),  // shares with nothing
                                   std::string("\x00\x09"
                                               "a\x00\x01",
                                               5),  // longer than the page
                                   std::string("\x00\x01"
                                               "a\x03\x01",
                                               5),            // form 3 of 3
                                   std::string(11, '\xFF')})  // a number without an end
        EXPECT_FALSE(unpack(withRecords(bad, 1)));
    TensorColumns text = withRecords(good, 1);
    text.records[0] = '*';
    EXPECT_FALSE(unpack(text));
}

}  // namespace
}  // namespace fl::protocol
