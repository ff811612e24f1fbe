// SPDX-License-Identifier: Apache-2.0
#include "engine/base/cancel_token.h"

namespace fl {

Status CancelToken::check(const std::string& what) const {
    if (cancelled())
        return Error{ErrorCode::Cancelled, what + " cancelled"};
    return Done{};
}

}  // namespace fl
