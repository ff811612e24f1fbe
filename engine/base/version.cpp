// SPDX-License-Identifier: Apache-2.0
#include "engine/base/version.h"

namespace fl {

std::string_view version() {
    return FIRSTLIGHT_VERSION;
}

}  // namespace fl
