// SPDX-License-Identifier: Apache-2.0
// The engine and the kernels each have a list of element types; both must mean the same.
#include <algorithm>
#include <cctype>
#include <string>

#include <gtest/gtest.h>

#include "engine/base/dtype.h"
#include "kernels/api/dtype.h"

namespace {

struct Named {
    fl_dtype type;
    const char* name;
};
#define FL_NAMED(type) \
    { type, #type }
const Named kTypes[] = {
    FL_NAMED(FL_F32),     FL_NAMED(FL_F16),     FL_NAMED(FL_BF16),    FL_NAMED(FL_F64),
    FL_NAMED(FL_I8),      FL_NAMED(FL_U8),      FL_NAMED(FL_I16),     FL_NAMED(FL_U16),
    FL_NAMED(FL_I32),     FL_NAMED(FL_U32),     FL_NAMED(FL_I64),     FL_NAMED(FL_U64),
    FL_NAMED(FL_BOOL),    FL_NAMED(FL_F8_E4M3), FL_NAMED(FL_F8_E5M2), FL_NAMED(FL_F8_E8M0),
    FL_NAMED(FL_Q4_0),    FL_NAMED(FL_Q4_1),    FL_NAMED(FL_Q8_0),    FL_NAMED(FL_Q4_K),
    FL_NAMED(FL_Q6_K),    FL_NAMED(FL_F4),      FL_NAMED(FL_F6_E2M3), FL_NAMED(FL_F6_E3M2),
    FL_NAMED(FL_C64),     FL_NAMED(FL_Q5_0),    FL_NAMED(FL_Q5_1),    FL_NAMED(FL_Q8_1),
    FL_NAMED(FL_Q2_K),    FL_NAMED(FL_Q3_K),    FL_NAMED(FL_Q5_K),    FL_NAMED(FL_Q8_K),
    FL_NAMED(FL_IQ2_XXS), FL_NAMED(FL_IQ2_XS),  FL_NAMED(FL_IQ3_XXS), FL_NAMED(FL_IQ1_S),
    FL_NAMED(FL_IQ4_NL),  FL_NAMED(FL_IQ3_S),   FL_NAMED(FL_IQ2_S),   FL_NAMED(FL_IQ4_XS),
    FL_NAMED(FL_IQ1_M),   FL_NAMED(FL_TQ1_0),   FL_NAMED(FL_TQ2_0),   FL_NAMED(FL_MXFP4),
    FL_NAMED(FL_NVFP4),   FL_NAMED(FL_Q1_0)};

// "FL_F8_E4M3" → "f8e4m3"
std::string plain(std::string_view name) {
    std::string letters;
    for (const char letter : name) {
        if (letter != '_')
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return letters;
}

TEST(DTypeMap, BothListsHaveTheSameNamesInTheSameOrder) {
    ASSERT_EQ(std::size(kTypes), std::size_t{fl::kDTypeCount});
    for (int value = 0; value < fl::kDTypeCount; ++value) {
        const Named& ours = kTypes[value];
        EXPECT_EQ(static_cast<int>(ours.type), value);
        const std::string_view kernelName = std::string_view(ours.name).substr(3);
        EXPECT_EQ(plain(kernelName), plain(fl::name(static_cast<fl::DType>(value))));
    }
}

TEST(DTypeMap, BothListsAgreeOnTheBytesOfARow) {
    for (const std::int64_t count : {0, 1, 31, 32, 64, 255, 256, 1024}) {
        for (const Named& ours : kTypes) {
            const auto engineBytes = fl::rowBytes(static_cast<fl::DType>(ours.type), count);
            EXPECT_EQ(fl_row_bytes(ours.type, count), engineBytes.value_or(-1))
                << ours.name << " × " << count;
        }
    }
}

}  // namespace
