// SPDX-License-Identifier: Apache-2.0
// Covers: app/linked_plugins.cpp app/ctl/context.cpp app/ctl/inspect.cpp app/ctl/plan.cpp
// Covers: app/ctl/plan_text.cpp app/ctl/job.cpp app/ctl/recipe.cpp
// Covers: app/ctl/template.cpp
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "tests/app/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::app {
namespace {

Ran ctl(const std::string& arguments) {
    return run("firstlightctl", arguments);
}

TEST(Inspect, GivesTheKeysOfTheContract) {
    const Ran ran = ctl("inspect " + tinyModel("tiny-llama") + " --json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    const Json census = ran.json();
    for (const char* key :
         {"architecture", "recipe", "files", "tensors", "file_bytes", "tensor_bytes", "parameters",
          "active_parameters", "bytes_by_dtype", "bytes_by_kind", "parameters_by_kind",
          "distinct_layers", "contract", "findings", "verdict"})
        EXPECT_NE(census.find(key), nullptr) << key;
    EXPECT_EQ(census["verdict"].string(), "ok");
    EXPECT_TRUE(census["bytes_by_dtype"].isObject());
    EXPECT_EQ(census["contract"]["matched"], census["tensors"]);
    std::int64_t sum = 0;
    for (const auto& [kind, count] : census["parameters_by_kind"].members())
        sum += count.integer();
    EXPECT_EQ(Json(sum), census["parameters"]);
}

TEST(Inspect, CountsFewerActiveParametersWithExperts) {
    const Json census = ctl("inspect " + tinyModel("tiny-qwen3-moe") + " --json").json();
    EXPECT_LT(census["active_parameters"].integer(), census["parameters"].integer());
    EXPECT_EQ(census["recipe"].string(), "qwen3_moe");
}

TEST(Inspect, PrintsATableForPeople) {
    const Ran ran = ctl("inspect " + tinyModel("tiny-llama"));
    EXPECT_EQ(ran.code, 0);
    EXPECT_NE(ran.out.find("contract: "), std::string::npos);
    EXPECT_NE(ran.out.find("attention"), std::string::npos);
}

TEST(Inspect, SaysWhatIsMissing) {
    test::TempDir folder;
    test::writeHubFolder(folder.path(), {test::patternTensor("model.norm.weight", DType::F32, {8})},
                         1,
                         R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"],
                             "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
                             "intermediate_size": 16, "vocab_size": 32})");
    const Ran ran = ctl("inspect " + folder.path() + " --json");
    EXPECT_EQ(ran.code, 1);
    const Json census = ran.json();
    EXPECT_EQ(census["verdict"].string(), "errors");
    EXPECT_GT(census["findings"].size(), 0u);
    for (const Json& finding : census["findings"].items())
        EXPECT_FALSE(finding["code"].string().empty());
}

TEST(Inspect, ExplainsWhatIsNoCheckpoint) {
    test::TempDir folder;
    const Ran ran = ctl("inspect " + folder.path() + " --json");
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.json()["verdict"].string(), "errors");
    EXPECT_NE(ran.out.find(folder.path()), std::string::npos);
}

TEST(Plan, GivesTheKeysOfTheContract) {
    const Ran ran = ctl("plan " + tinyModel("tiny-llama") +
                        " --cluster cpu:cards=4,memory=256MiB --tp 2 --pp 2 --json");
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    const Json plan = ran.json();
    EXPECT_EQ(plan["mesh"]["tp"], Json(2));
    EXPECT_EQ(plan["mesh"]["pp"], Json(2));
    ASSERT_EQ(plan["ranks"].size(), 4u);
    const Json& rank = plan["ranks"].items()[3];
    for (const char* key : {"rank", "node", "device", "stage", "layers", "ledger", "capacity"})
        EXPECT_NE(rank.find(key), nullptr) << key;
    EXPECT_EQ(rank["stage"], Json(1));
    EXPECT_EQ(rank["capacity"], Json(std::int64_t{256} << 20));
    EXPECT_NE(plan["predicted"].find("step_s"), nullptr);
    EXPECT_GT(plan["alternatives"].size(), 0u);
}

TEST(Plan, ListsEveryViolatedRuleWithTheLegalValues) {
    const Ran ran = ctl("plan " + tinyModel("tiny-llama") +
                        " --cluster cpu:cards=64,memory=1GiB --tp 3 --pp 99 --json");
    EXPECT_EQ(ran.code, 1) << ran.out;
    const Json plan = ran.json();
    EXPECT_GE(plan["findings"].size(), 2u);
    EXPECT_GT(plan["legal_tp"].size(), 0u);
}

TEST(Plan, RefusesABudgetThatIsTooSmall) {
    const Ran ran = ctl("plan " + tinyModel("tiny-llama") +
                        " --cluster cpu:cards=1,memory=64KiB --tp 1 --pp 1 --json");
    EXPECT_EQ(ran.code, 1) << ran.out;
    EXPECT_EQ(ran.json()["verdict"].string(), "errors");
}

TEST(Plan, ListsSlicesAndTakesItsOwnOutputBack) {
    test::TempDir folder;
    const std::string model = tinyModel("tiny-llama") + " --cluster cpu:cards=2,memory=256MiB ";
    const Ran first = ctl("plan " + model + "--pp 2 --tensors --json");
    EXPECT_EQ(first.code, 0) << first.out;
    EXPECT_GT(first.json()["ranks"].items()[0]["tensors"].size(), 0u);
    const std::string file = test::writeTo(folder.path(), "plan.json", first.out);
    const Ran second = ctl("plan " + model + "--plan " + file + " --json");
    EXPECT_EQ(second.code, 0) << second.out;
    EXPECT_EQ(second.json()["mesh"], first.json()["mesh"]);
}

TEST(Plan, SaysWhatWouldStillFit) {
    const Ran ran = ctl("plan " + tinyModel("tiny-llama") +
                        " --cluster cpu:cards=2,memory=64MiB --tp 2 --pp 1 --max-sequences 2");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("max context "), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find(" at 2 sequences; "), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("0–1"), std::string::npos) << ran.out;  // equal ranks share a row
}

TEST(Plan, OffersTheNearestLegalPlans) {
    const std::string arguments =
        "plan " + tinyModel("tiny-llama") + " --cluster cpu:cards=8,memory=1GiB --tp 3 --pp 2";
    const Ran ran = ctl(arguments);
    EXPECT_EQ(ran.code, 1) << ran.out;
    EXPECT_NE(ran.out.find("Legal plans near it"), std::string::npos) << ran.out;
    EXPECT_GT(ctl(arguments + " --json").json()["nearest"].size(), 0u);
}

TEST(Plan, SavesPlansAndComparesThem) {
    test::TempDir folder;
    const std::string model = tinyModel("tiny-llama") + " --cluster cpu:cards=2,memory=256MiB ";
    const std::string one = folder / "one.json";
    const std::string other = folder / "other.json";
    EXPECT_EQ(ctl("plan " + model + "--tp 2 --pp 1 --save " + one).code, 0);
    EXPECT_EQ(ctl("plan " + model + "--tp 1 --pp 2 --save " + other).code, 0);
    const Ran again = ctl("plan " + model + "--plan " + one + " --json");
    EXPECT_EQ(again.json()["name"], Json("tp2"));
    const Ran compared = ctl("plan --compare " + one + " " + other);
    EXPECT_EQ(compared.code, 0) << compared.err;
    for (const char* word : {"tp2", "pp2", "tightest rank: kv", "bound by", "differs"})
        EXPECT_NE(compared.out.find(word), std::string::npos) << word << "\n" << compared.out;
    const Json both = ctl("plan --compare " + one + " " + other + " --json").json();
    EXPECT_EQ(both["one"]["mesh"]["tp"], Json(2));
    EXPECT_EQ(both["other"]["mesh"]["pp"], Json(2));
    const Ran none = ctl("plan --compare " + one + " " + folder.path() + "/none.json");
    EXPECT_EQ(none.code, 3) << none.out;
}

TEST(Plan, SearchRanksAllLegalPlans) {
    const Ran ran = ctl("plan " + tinyModel("tiny-qwen3-moe") +
                        " --cluster cpu:cards=4,memory=1GiB --search --json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    const Json plan = ran.json();
    ASSERT_GT(plan["alternatives"].size(), 12u);
    double before = 0;
    for (const Json& other : plan["alternatives"].items()) {
        EXPECT_GE(other["step_s"].number(), before);
        before = other["step_s"].number();
    }
}

TEST(Plan, NamesEveryMistakeOfAClusterFile) {
    test::TempDir folder;
    const std::string file =
        test::writeTo(folder.path(), "lab.json",
                      "{\n\"nods\": [],\n\"nodes\": [{\"name\": \"a\", \"cors\": 2}]}");
    const Ran ran = ctl("plan " + tinyModel("tiny-llama") + " --cluster " + file);
    EXPECT_EQ(ran.code, 3);
    EXPECT_NE(ran.err.find(file + ":2: nods: unknown key (nearest: nodes)"), std::string::npos)
        << ran.err;
    EXPECT_NE(ran.err.find(file + ":3: nodes[0].cors: unknown key (nearest: cores)"),
              std::string::npos)
        << ran.err;
}

TEST(Job, WritesTheFileThatEqualsTheOptions) {
    test::TempDir folder;
    const std::string model = tinyModel("tiny-llama");
    const Ran printed = ctl("job --print " + model +
                            " --cluster cpu:cards=2,memory=256MiB --tp 2 --max-context 64");
    EXPECT_EQ(printed.code, 0) << printed.err;
    const std::string file = test::writeTo(folder.path(), "job.json", printed.out);
    const Ran plan = ctl("plan --job " + file + " --json");
    EXPECT_EQ(plan.code, 0) << plan.out;
    EXPECT_EQ(plan.json()["mesh"]["tp"], Json(2));
    EXPECT_EQ(plan.json()["max_context"], Json(64));
    const Ran other = ctl("plan --job " + file + " --tp 1 --json");
    EXPECT_EQ(other.json()["mesh"]["tp"], Json(1));
}

TEST(Recipe, ChecksAConfig) {
    const std::string config = tinyModel("tiny-llama") + "/config.json";
    const Ran ran = ctl("recipe check llama " + config + " --json");
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    EXPECT_GT(ran.json()["graph"]["nodes"].integer(), 0);
    EXPECT_GT(ran.json()["states"].size(), 0u);
    EXPECT_EQ(ctl("recipe check no_such_recipe " + config).code, 3);
}

TEST(Recipe, ComparesTheTensorsOfAFolder) {
    const Ran ran = ctl("recipe check llama " + tinyModel("tiny-llama") + " --json");
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    EXPECT_GT(ran.json()["contract"]["matched"].integer(), 0);
    EXPECT_EQ(ran.json()["contract"]["missing"].integer(-1), 0);
}

TEST(Recipe, DraftsOneFromTheNearest) {
    const Ran ran = ctl("recipe new " + tinyModel("tiny-qwen3-moe") + " --name nova --json");
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    EXPECT_EQ(ran.json()["recipe"].string(), "nova");
    EXPECT_EQ(ran.json()["nearest"].string(), "qwen3_moe");
    EXPECT_EQ(ran.json()["open"]["tensors"].size(), 0U);
    EXPECT_NE(ran.json()["text"].string().find("name = \"nova\""), std::string::npos);
    EXPECT_EQ(ctl("recipe new " + tinyModel("none")).code, 3);
    const std::string file = testing::TempDir() + "/nova.lua";
    std::filesystem::remove(file);
    const std::string verb = "recipe new " + tinyModel("tiny-qwen3-moe") + " --out ";
    EXPECT_EQ(ctl(verb + file).code, 0);
    EXPECT_NE(ctl(verb + file).err.find("is there already"), std::string::npos);
    EXPECT_NE(ctl(verb + "nova.txt").err.find("ends in .lua"), std::string::npos);
}

TEST(Template, RendersOneListAndManyLines) {
    const test::TempDir folder;
    ASSERT_TRUE(writeFile(folder / "chat_template.jinja",
                          "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
                          "{% if tools %} {{ tools | length }} tools{% endif %}"));
    ASSERT_TRUE(writeFile(folder / "talk.json", R"([{"role":"user","content":"Hi {{ x }}"}])"));
    ASSERT_TRUE(writeFile(folder / "lines.jsonl",
                          R"({"messages":[{"role":"a","content":""}],"tools":[{}, {}]}
{"messages":[{"role":"a","content":"b"}]}
)"));
    const std::string verb = "template " + folder.path() + " ";
    EXPECT_EQ(ctl(verb + "--messages " + (folder / "talk.json")).out, "<user>Hi {{ x }}");
    EXPECT_EQ(ctl(verb + "--batch " + (folder / "lines.jsonl")).out,
              "{\"text\":\"<a> 2 tools\"}\n{\"text\":\"<a>b\"}\n");
}

TEST(Template, SaysWhereItFailsAndThatThereIsNone) {
    const test::TempDir folder;
    ASSERT_TRUE(writeFile(folder / "talk.json", R"([{"role":"a","content":"b"}])"));
    const std::string verb =
        "template " + folder.path() + " --json --messages " + (folder / "talk.json");
    const Ran none = ctl(verb);
    EXPECT_NE(none.code, 0);
    EXPECT_NE((none.out + none.err).find("no chat_template.jinja"), std::string::npos);
    ASSERT_TRUE(writeFile(folder / "chat_template.jinja", "one\n{{ raise_exception('no user') }}"));
    const Ran failed = ctl(verb);
    EXPECT_NE(failed.code, 0);
    const Json error = failed.json()["error"];
    EXPECT_EQ(error["line"], Json(2));
    EXPECT_NE(error["message"].string().find("no user"), std::string::npos);
}

TEST(Usage, NamesTheNearestVerbAndOption) {
    const Ran verb = ctl("inspct x");
    EXPECT_EQ(verb.code, 2);
    EXPECT_NE(verb.err.find("unknown verb inspct (nearest: inspect)"), std::string::npos)
        << verb.err;
    const Ran option = ctl("plan x --max-contxt 3");
    EXPECT_EQ(option.code, 2);
    EXPECT_NE(option.err.find("--max-context"), std::string::npos) << option.err;
    EXPECT_EQ(ctl("").code, 2);
    EXPECT_EQ(ctl("inspect").code, 2);
}

TEST(Usage, NamesTheLegalValues) {
    const Ran ran = ctl("plan " + tinyModel("tiny-llama") + " --compute f23");
    EXPECT_EQ(ran.code, 3);
    EXPECT_NE(ran.err.find("auto, f32, bf16"), std::string::npos) << ran.err;
}

TEST(Usage, HelpsWithExamples) {
    const Ran help = ctl("plan --help");
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Examples: "), std::string::npos);
    EXPECT_EQ(ctl("--version").out, "0.1.0\n");
}

}  // namespace
}  // namespace fl::app
