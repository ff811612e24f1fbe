// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/long_runs.h"

#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

Status cutLongRuns(std::string_view text,
                   std::int64_t longestRun,
                   std::int64_t longestText,
                   const std::function<Status(std::string_view)>& sink) {
    std::size_t done = 0;
    std::int64_t run = 0;
    std::int64_t sinceStart = 0;  // characters since the last cut by longestText
    bool isSpaceRun = false;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char next = decodeUtf8(text, at);
        const bool isSpace = isPythonSpace(next.code);
        const bool isFull = longestText > 0 && sinceStart == longestText;
        const bool goesOn = !isFull && at > 0 && isSpace == isSpaceRun;
        run = goesOn ? run + 1 : 1;
        isSpaceRun = isSpace;
        if (isFull || (longestRun > 0 && run > longestRun)) {
            FL_DO(sink(text.substr(done, at - done)));
            done = at;
            run = 1;
        }
        sinceStart = isFull ? 1 : sinceStart + 1;
        at += next.bytes;
    }
    return done < text.size() ? sink(text.substr(done)) : Status(Done{});
}

}  // namespace fl::tokenizer
