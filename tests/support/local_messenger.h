// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one program: what runs over MPI in a job runs over this in a test.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/comm/messenger.h"

namespace fl::test {

std::vector<std::unique_ptr<comm::Messenger>> localRanks(int ranks);

// Runs body(messenger) on one thread per rank and waits for all.
void onRanks(int ranks, const std::function<void(std::unique_ptr<comm::Messenger>)>& body);

}  // namespace fl::test
