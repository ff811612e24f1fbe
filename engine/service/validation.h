// SPDX-License-Identifier: Apache-2.0
// Is it right: runs the cases of a reference folder through the ranks and compares rung by rung.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/link_messages.h"
#include "engine/protocol/validate_messages.h"
#include "engine/service/case_judge.h"
#include "engine/service/completion.h"
#include "engine/service/event_loop.h"
#include "engine/service/language.h"
#include "engine/service/reference_cases.h"

namespace fl::service {

// What a validation must know of the model that is loaded.
struct ValidationSetup {
    std::shared_ptr<const Language> language;
    int replicas = 1;
    int ranksPerReplica = 1;
    JudgeRules rules;
    std::string folder;  // for captures; made and removed
    std::function<void(double fraction, const std::string& text)> progress;  // from any thread
};

// What the Findings panel shows of a case that failed.
Finding divergenceFinding(const protocol::CaseResult& result);

class Validation {
public:
    // `toRank0` is called on the loop's thread.
    Validation(EventLoop& loop,
               std::function<void(std::string_view method, const Json& params)> toRank0);

    // On a worker thread; one at a time. Fails where the reference cannot be read or the ranks went
    // away; what differs is in the reply.
    Result<protocol::ValidateReply> run(const protocol::ValidateRequest& request,
                                        const ValidationSetup& setup,
                                        const CancelToken& cancel);

    // On the loop's thread.
    bool knows(const std::string& request) const { return requests_.contains(request); }
    void take(const protocol::RankTokens& tokens);
    void take(const protocol::RankCaptured& captured);
    void take(int rank, const protocol::CaptureBytes& piece);
    void failAll(const std::string& why);

private:
    // What a worker waits for.
    struct Waiting {
        Completion<std::vector<int>> ids;
        std::vector<int> soFar;
        Completion<std::vector<protocol::RankCaptured>> captures;
        std::vector<protocol::RankCaptured> captured;
        int ranks = 0;
        std::string folder;  // of the captures
    };

    void callOff();
    Result<std::vector<protocol::RankCaptured>> capture(const ReferenceCase& one,
                                                        int replica,
                                                        const ValidationSetup& setup,
                                                        const CancelToken& cancel);
    Result<std::vector<int>> greedy(const ReferenceCase& one,
                                    int replica,
                                    const CancelToken& cancel);
    Result<protocol::CaseResult> runCase(const ReferenceCase& one,
                                         int replica,
                                         const ValidationSetup& setup,
                                         const CancelToken& cancel);

    EventLoop& loop_;
    std::function<void(std::string_view, const Json&)> toRank0_;
    std::map<std::string, Waiting> requests_;  // on the loop's thread
    std::map<std::string, Waiting> captures_;  // on the loop's thread
    std::atomic<int> lastName_{0};
};

}  // namespace fl::service
