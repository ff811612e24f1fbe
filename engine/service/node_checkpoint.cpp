// SPDX-License-Identifier: Apache-2.0
#include "engine/service/node_checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "engine/service/host_name.h"

namespace fl::service {

namespace {

Finding problem(const protocol::RankJob& job, const std::string& code, const std::string& message) {
    Finding out;
    out.code = code;
    out.stage = "launch";
    out.message = message;
    out.file = job.settings.checkpoint;
    out.expected = job.checkpoint;
    out.remedy = "copy the checkpoint to this node, or mount the same file system on every node";
    return out;
}

Finding absent(const protocol::RankJob& job) {
    Finding out = problem(job, "checkpoint-absent",
                          fmt::format("node {} has no {}", ownHost(), job.settings.checkpoint));
    out.found = "nothing";
    return out;
}

Finding different(const protocol::RankJob& job, const std::string& found) {
    Finding out = problem(job, "checkpoint-differs",
                          fmt::format("{} on node {} is not the checkpoint that was inspected",
                                      job.settings.checkpoint, ownHost()));
    out.found = found;
    return out;
}

}  // namespace

NodeCheckpoint inspectOnNode(const protocol::RankJob& job, const CancelToken& stop) {
    NodeCheckpoint out;
    std::error_code unreadable;
    if (!std::filesystem::exists(job.settings.checkpoint, unreadable)) {
        out.problems.push_back(absent(job));
        return out;
    }
    auto inspection = inspectCheckpoint(job.settings, stop);
    if (!inspection && inspection.error().code == ErrorCode::Cancelled)
        return out;
    if (!inspection) {
        out.problems.push_back(different(job, inspection.error().message));
        return out;
    }
    out.inspection = *std::move(inspection);
    const auto& findings = out.inspection.findings;
    const auto error = std::find_if(findings.begin(), findings.end(), [](const Finding& one) {
        return one.severity == Severity::Error;
    });
    const std::string found =
        error != findings.end() ? text(*error) : checkpointText(out.inspection);
    if (error != findings.end() || found != job.checkpoint)
        out.problems.push_back(different(job, found));
    return out;
}

}  // namespace fl::service
