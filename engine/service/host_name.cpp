// SPDX-License-Identifier: Apache-2.0
#include "engine/service/host_name.h"

#include <array>

#include <unistd.h>

namespace fl::service {

std::string ownHost() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool isThisHost(const std::string& name) {
    const std::string own = ownHost();
    const auto isShortFor = [](const std::string& part, const std::string& whole) {
        return whole.starts_with(part) &&
               (whole.size() == part.size() || whole[part.size()] == '.');
    };
    if (name.empty())
        return false;
    return name == "localhost" || isShortFor(name, own) || isShortFor(own, name);
}

}  // namespace fl::service
