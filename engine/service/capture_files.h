// SPDX-License-Identifier: Apache-2.0
// The files of a capture, on both sides of the rank link: a rank of the control process's own
// machine writes them where that reads them, any other sends them.
#pragma once

#include <span>
#include <string>

#include "engine/base/result.h"
#include "engine/checkpoint/safetensors_writer.h"
#include "engine/protocol/link_messages.h"
#include "engine/service/rank_reporter.h"

namespace fl::service {

// Of one rank's rungs of one chunk.
std::string captureFile(const std::string& folder, int rank, int part);

// On the engine's thread of a rank; waits while the link lags behind. Cancelled where that ended.
Status keepCapture(RankReporter& reporter,
                   const protocol::CapturePart& part,
                   std::span<const checkpoint::NamedArray> arrays);

// On the control process's side: the next bytes of a file below `folder`.
Status takeCaptureBytes(const std::string& folder, int rank, const protocol::CaptureBytes& piece);

}  // namespace fl::service
