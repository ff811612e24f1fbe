// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/ggml_type.h"

#include <gtest/gtest.h>

namespace fl::checkpoint {
namespace {

TEST(GgmlType, AgreesWithTheDtypesItMapsTo) {
    int readable = 0;
    for (std::uint32_t number = 0; number < 64; ++number) {
        const GgmlType* type = ggmlType(number);
        if (!type)
            continue;
        EXPECT_EQ(type->number, number);
        if (!type->dtype)
            continue;
        ++readable;
        EXPECT_EQ(name(*type->dtype), type->name);
        EXPECT_EQ(blockLayout(*type->dtype).values, type->layout.values);
        EXPECT_EQ(blockLayout(*type->dtype).bytes, type->layout.bytes);
    }
    EXPECT_EQ(readable, 13);
}

TEST(GgmlType, KnowsWhatItCannotRead) {
    ASSERT_TRUE(ggmlType(6));
    EXPECT_EQ(ggmlType(6)->name, "Q5_0");
    EXPECT_FALSE(ggmlType(6)->dtype);
    EXPECT_FALSE(ggmlType(4));  // removed from ggml
    EXPECT_FALSE(ggmlType(~0U));
}

}  // namespace
}  // namespace fl::checkpoint
