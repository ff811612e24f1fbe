// SPDX-License-Identifier: Apache-2.0
#include "engine/protocol/codec.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/protocol/link_messages.h"
#include "engine/protocol/messages.h"
#include "engine/protocol/metric_messages.h"
#include "engine/protocol/rpc.h"

namespace fl::protocol {
namespace {

// Gives every field of a struct a value of its own, however deep, so that a field that is lost or
// mixed up with another shows.
struct Filler {
    int next = 1;

    void fill(bool& out) { out = next++ % 2 == 1; }
    void fill(int& out) { out = next++; }
    void fill(std::int64_t& out) { out = (std::int64_t{1} << 40) + next++; }
    void fill(double& out) { out = next++ + 0.125; }
    void fill(std::string& out) { out = "text " + std::to_string(next++) + " ü\n\""; }
    void fill(Json& out) { out = Json(next++); }
    void fill(fl::Finding& out) {
        for (std::string* part : {&out.code, &out.stage, &out.message, &out.file, &out.tensor,
                                  &out.key, &out.expected, &out.found, &out.remedy})
            fill(*part);
        out.severity = Severity::Warning;
        fill(out.rank);
        fill(out.count);
        fill(out.examples);
    }
    template <class T>
    void fill(std::vector<T>& out) {
        out.resize(2);
        for (T& item : out)
            fill(item);
    }
    template <codec::Message T>
    void fill(T& out) {
        T::fields(out, [this](const char*, auto& member) { fill(member); });
    }
};

template <class T>
class EveryMessage : public testing::Test {};

using Messages = testing::Types<Hello,
                                JobSettings,
                                OpenRequest,
                                JobChanged,
                                StageRequest,
                                StageState,
                                Census,
                                InspectRequest,
                                TensorsRequest,
                                TensorsReply,
                                ColumnsRequest,
                                TensorColumns,
                                DraftRequest,
                                RecipeDraft,
                                Topology,
                                PlanInfo,
                                PlanRequest,
                                SlicesRequest,
                                SlicesReply,
                                SearchRequest,
                                SearchCancel,
                                SearchProgress,
                                SavedPlans,
                                SavePlanRequest,
                                ForgetPlanRequest,
                                CellsRequest,
                                PlanCells,
                                CellRequest,
                                RankState,
                                RankLost,
                                LoadProgress,
                                MemorySample,
                                StepSample,
                                LogLine,
                                MetricsReply,
                                ChatRequest,
                                ChatStarted,
                                ChatInfo,
                                ChatDelta,
                                ChatDone,
                                ChatCancel,
                                ValidateRequest,
                                ValidateReply,
                                Snapshot,
                                SamplesDropped,
                                RankTicket,
                                RankJob,
                                RankHello,
                                LinkChallenge,
                                LinkWelcome,
                                RankExit,
                                RankPhase,
                                RankHeartbeat,
                                RankTokens,
                                RankCaptured,
                                CaptureBytes,
                                SubmitRequest,
                                CaptureRequest,
                                CapturePart,
                                EventList>;
TYPED_TEST_SUITE(EveryMessage, Messages);

TYPED_TEST(EveryMessage, ComesBackAsItWent) {
    TypeParam original;
    Filler().fill(original);
    const std::string wire = encode(original).dump();
    const auto parsed = Json::parse(wire);
    ASSERT_TRUE(parsed) << parsed.error().message;
    const auto decoded = decode<TypeParam>(*parsed);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(encode(*decoded).dump(), wire);
    EXPECT_NE(encode(TypeParam()).dump(), wire);
}

TYPED_TEST(EveryMessage, HasDefaultsForMissingKeys) {
    const auto decoded = decode<TypeParam>(Json());
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(encode(*decoded).dump(), encode(TypeParam()).dump());
}

TYPED_TEST(EveryMessage, RefusesAnUnknownKey) {
    Json json = encode(TypeParam());
    json.append("zzz", 1);
    const auto decoded = decode<TypeParam>(json);
    ASSERT_FALSE(decoded);
    EXPECT_NE(decoded.error().message.find("zzz"), std::string::npos);
}

std::string messageFor(const std::string& text) {
    const auto decoded = decode<OpenRequest>(*Json::parse(text));
    return decoded ? "" : decoded.error().message;
}

TEST(Codec, NamesThePathOfAWrongType) {
    EXPECT_EQ(messageFor(R"({"settings":{"tp":"two"}})"),
              "settings.tp: expected an integer, found the string 'two'");
    EXPECT_EQ(messageFor(R"({"settings":{"stage_layers":[1,{}]}})"),
              "settings.stage_layers[1]: expected an integer, found an object");
    EXPECT_EQ(messageFor(R"({"settings":7})"), "settings: expected an object, found a number");
    EXPECT_EQ(messageFor(R"({"settings":{"tp":1.5}})"),
              "settings.tp: expected an integer, found a number");
}

TEST(Codec, NamesTheNearestValidKey) {
    EXPECT_EQ(messageFor(R"({"settings":{"max_contxt":5}})"),
              "unknown key 'settings.max_contxt' (nearest: max_context)");
}

TEST(Codec, RefusesAnIntegerOutOfRange) {
    EXPECT_EQ(messageFor(R"({"settings":{"tp":4294967297}})"),
              "settings.tp: 4294967297 is out of range");
}

TEST(Codec, CarriesNotANumberAsNull) {
    Rung rung;
    rung.error = std::nan("");
    const Json json = *Json::parse(encode(rung).dump());
    EXPECT_TRUE(json["error"].isNull());
    EXPECT_TRUE(std::isnan(decode<Rung>(json)->error));
}

TEST(Codec, WritesOnlyWhatAFindingSays) {
    fl::Finding finding;
    finding.code = "shard-truncated";
    finding.message = "m";
    EXPECT_EQ(
        encode(finding).dump(),
        R"({"code":"shard-truncated","severity":"error","stage":"","message":"m","count":1})");
}

TEST(Codec, RefusesAnUnknownSeverity) {
    const auto decoded = decode<fl::Finding>(*Json::parse(R"({"severity":"fatal"})"));
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().message,
              "severity: expected info, warning or error, found the string 'fatal'");
}

}  // namespace
}  // namespace fl::protocol
