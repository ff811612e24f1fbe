// SPDX-License-Identifier: Apache-2.0
// The chats that run: tokens of rank 0 become text, events and timing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/chat_messages.h"
#include "engine/protocol/link_messages.h"
#include "engine/service/board.h"
#include "engine/service/language.h"

namespace fl::service {

// On the control thread.
class Chats {
public:
    struct Handlers {
        std::function<void(std::string_view method, const Json& params)> toRank0;
        // An answer came to its own end.
        std::function<void(const protocol::ChatDone& done)> answered;
    };
    Chats(Board& board, Handlers handlers);
    ~Chats();

    // Fails if the name is empty or in use. `receivedAt` (steady) is when the client asked.
    Status check(const protocol::ChatRequest& request) const;
    // Precondition: check() passed, the prompt fits the context.
    void start(const protocol::ChatRequest& request,
               const Prompt& prompt,
               std::shared_ptr<const Language> language,
               double receivedAt);
    void take(const protocol::RankTokens& tokens);
    // The answer so far stays; nothing for names that do not run.
    void cancel(const std::string& request);
    // Ends all with "error"; partial text is kept.
    void failAll(const std::string& error);
    bool knows(const std::string& request) const { return running_.contains(request); }

private:
    struct Chat;
    void addTokens(Chat& chat, const std::vector<protocol::TokenInfo>& tokens);
    void finish(const std::string& name, const std::string& reason, const std::string& error);

    Board& board_;
    Handlers handlers_;
    std::map<std::string, std::unique_ptr<Chat>> running_;
};

}  // namespace fl::service
