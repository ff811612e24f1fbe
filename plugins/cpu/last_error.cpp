// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu/last_error.h"

#include <utility>

namespace fl::plugins::cpu {

// The interface has no handle to keep it in: opening a backend can fail as well.
static std::string& kept() {
    thread_local std::string sentence;
    return sentence;
}

fl_status fail(fl_status status, std::string sentence) {
    kept() = std::move(sentence);
    return status;
}

const char* lastError() {
    return kept().c_str();
}

}  // namespace fl::plugins::cpu
