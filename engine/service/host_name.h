// SPDX-License-Identifier: Apache-2.0
// What this machine is called, and whether a name in a cluster file means it.
#pragma once

#include <string>

namespace fl::service {

std::string ownHost();

// Host names may be given with or without their domain; "localhost" is this machine too.
bool isThisHost(const std::string& name);

}  // namespace fl::service
