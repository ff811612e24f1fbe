// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/evidence_keys.h"

#include <gtest/gtest.h>

namespace fl::recipe {

static ConfigRules rules(const char* root) {
    const auto described =
        Json::parse(std::string(R"({"config_root": ")") + root + R"(", "keys": {},
        "evidence": [
            {"tensor": "l.{i}.q.weight", "shape": ["heads * dim", "hidden"], "layers": "layers + drafts"},
            {"tensor": "l.{i}.dense.weight", "count": "dense"},
            {"tensor": "l.{i}.e.{}.up.weight", "shape": ["inner", "hidden"], "experts": "experts"}]})");
    auto out = readConfigRules(*described);
    EXPECT_TRUE(out);
    return *std::move(out);
}

static Finding finding(const char* code, const char* tensor, const char* key = "") {
    Finding out;
    out.code = code;
    out.tensor = tensor;
    out.key = key;
    return out;
}

// The key that a finding about `tensor` gets where `wrong` is wrong.
static std::string named(const char* code,
                         const char* tensor,
                         const char* wrong,
                         const char* root = "") {
    std::vector<Finding> findings = {finding("config-contradiction", "", wrong),
                                     finding(code, tensor)};
    nameKeys(findings, rules(root), [](const std::string& name) { return name; });
    return findings[1].key;
}

TEST(EvidenceKeys, ATensorIsSaidWithTheKeyThatIsWrong) {
    EXPECT_EQ(named("tensor-shape", "l.7.q.weight", "heads"), "heads");
    EXPECT_EQ(named("tensor-shape", "l.7.q.weight", "dim"), "dim");
    EXPECT_EQ(named("tensor-shape", "l.7.q.weight_scale_inv", "heads"), "heads");
    EXPECT_EQ(named("tensor-missing", "l.7.dense.weight", "dense"), "dense");
    EXPECT_EQ(named("tensor-missing", "l.7.e.3.up.weight", "experts"), "experts");
    EXPECT_EQ(named("tensor-shape", "l.7.q.weight", "text.heads", "text"), "text.heads");
}

TEST(EvidenceKeys, AFamilyIsSaidWithTheKeyThatCountsIt) {
    EXPECT_EQ(named("family-incomplete", "l.3.*", "drafts"), "drafts");
    EXPECT_EQ(named("family-incomplete", "l.1.e.4.*", "experts"), "experts");
    EXPECT_EQ(named("family-surplus", "l.1.e.4.*", "drafts"), "");
}

TEST(EvidenceKeys, NothingIsSaidOfKeysThatHaveNothingToDoWithIt) {
    EXPECT_EQ(named("tensor-shape", "l.7.q.weight", "inner"), "");
    EXPECT_EQ(named("tensor-shape", "l.x.q.weight", "heads"), "");
    EXPECT_EQ(named("tensor-dtype", "l.7.q.weight", "heads"), "");
}

}  // namespace fl::recipe
