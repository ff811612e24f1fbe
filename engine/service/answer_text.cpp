// SPDX-License-Identifier: Apache-2.0
#include "engine/service/answer_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fl::service {

namespace {

// Length of the longest end of `text` that begins a stop string.
std::size_t possibleStop(std::string_view text, const std::vector<std::string>& stops) {
    std::size_t longest = 0;
    for (const std::string_view stop : stops) {
        for (std::size_t length = std::min(stop.size() - 1, text.size()); length > longest;
             --length) {
            if (text.ends_with(stop.substr(0, length)))
                longest = length;
        }
    }
    return longest;
}

}  // namespace

AnswerText::AnswerText(const tokenizer::Tokenizer* tokenizer, std::vector<std::string> stops)
    : stops_(std::move(stops)) {
    std::erase(stops_, "");
    if (tokenizer != nullptr)
        decoder_ = tokenizer->stream(true);
}

std::string AnswerText::push(tokenizer::TokenId id) {
    if (!decoder_ || stopped_)
        return "";
    held_ += decoder_->push(id);
    return release(false);
}

std::string AnswerText::flush() {
    if (!decoder_ || stopped_)
        return "";
    held_ += decoder_->flush();
    return release(true);
}

std::string AnswerText::release(bool all) {
    std::size_t first = std::string::npos;
    for (const std::string& stop : stops_)
        first = std::min(first, held_.find(stop));
    if (first != std::string::npos) {
        stopped_ = true;
        return std::exchange(held_, "").substr(0, first);
    }
    const std::size_t kept = all ? 0 : possibleStop(held_, stops_);
    std::string out = held_.substr(0, held_.size() - kept);
    held_.erase(0, out.size());
    return out;
}

}  // namespace fl::service
