// SPDX-License-Identifier: Apache-2.0
// firstlightctl validate: the cases of a reference folder, rung by rung.
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/ctl/context.h"
#include "app/ctl/engine.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/names.h"
#include "engine/service/validation.h"

namespace fl::app {

namespace {

struct ValidateVerb {
    JobOptions job;
    std::string reference;
    std::vector<std::string> cases;
};

const protocol::Rung* worstOf(const protocol::CaseResult& result) {
    const protocol::Rung* worst = nullptr;
    for (const protocol::Rung& rung : result.rungs) {
        if (worst == nullptr || !(rung.error <= worst->error))
            worst = &rung;
    }
    return worst;
}

void printCases(const protocol::ValidateReply& reply) {
    std::vector<std::vector<std::string>> rows;
    for (const protocol::CaseResult& one : reply.cases) {
        const protocol::Rung* worst = worstOf(one);
        int parted = 0;
        for (const protocol::Rung& rung : one.rungs)
            parted = std::max(parted, rung.parted);
        rows.push_back({one.name, std::to_string(one.replica), std::to_string(one.rungs.size()),
                        worst != nullptr ? worst->name : "",
                        worst != nullptr ? fmt::format("{:.1e}", worst->error) : "",
                        std::to_string(parted), one.verdict});
    }
    fmt::print("{}\n", table({"case", "replica", "rungs", "worst", "error", "parted", "verdict"},
                             rows, "lrrlrrl"));
}

Result<int> validate(const Context& context, const ValidateVerb& verb) {
    FL_TRY(const Target target, reachTarget(context, verb.job));
    if (target.failed) {
        Json document = Json::object();
        document.append("cases", Json::array());
        return finishFailed(context, *target.failed, std::move(document));
    }
    const protocol::ValidateRequest request{
        std::filesystem::absolute(verb.reference).lexically_normal().string(), verb.cases};
    FL_TRY(const Json answer, target.engine.client().call(protocol::method::kValidateRun, request));
    FL_TRY(const auto reply, protocol::decode<protocol::ValidateReply>(answer));
    std::vector<Finding> findings;
    for (const protocol::CaseResult& one : reply.cases) {
        if (one.verdict == "fail")
            findings.push_back(service::divergenceFinding(one));
    }
    if (context.json)
        return finishJson(answer, findings);
    printCases(reply);
    return finishText(findings);
}

}  // namespace

void addValidate(CLI::App& program, Context& context) {
    CLI::App* verb =
        addVerb(program, context, "validate", "Compare with a reference, rung by rung");
    const auto options = std::make_shared<ValidateVerb>();
    verb->add_option("CHECKPOINT|JOB", options->job.checkpoint, "Model, or a running job");
    verb->add_option("--reference", options->reference, "Folder with cases.json")->required();
    verb->add_option("--cases", options->cases, "Only these")->delimiter(',');
    addPlanOptions(*verb, options->job);
    verb->footer(
        "Example: firstlightctl validate MODEL --reference MODEL/golden --compute f32 --tp 2");
    verb->callback([&context, options] {
        context.run = [&context, options] { return validate(context, *options); };
    });
}

}  // namespace fl::app
