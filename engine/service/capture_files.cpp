// SPDX-License-Identifier: Apache-2.0
#include "engine/service/capture_files.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string_view>

#include <fmt/core.h>

#include "engine/base/base64.h"
#include "engine/protocol/names.h"

namespace fl::service {

namespace {

// A heartbeat waits behind at most one of these: short even on a slow network.
constexpr std::size_t kPieceBytes = std::size_t{512} << 10;

}  // namespace

std::string captureFile(const std::string& folder, int rank, int part) {
    return fmt::format("{}/rank{}.{}.safetensors", folder, rank, part);
}

Status keepCapture(RankReporter& reporter,
                   const protocol::CapturePart& part,
                   std::span<const checkpoint::NamedArray> arrays) {
    const std::string file = captureFile(part.folder, reporter.rank(), part.part);
    if (reporter.sharesFiles())
        return checkpoint::writeSafetensors(file, arrays);
    FL_TRY(const std::string content, checkpoint::safetensorsText(file, arrays));
    for (std::size_t begin = 0; begin < content.size(); begin += kPieceBytes) {
        const std::string_view piece = std::string_view(content).substr(begin, kPieceBytes);
        if (!reporter.awaitRoom())
            return Error{ErrorCode::Cancelled, "the link to the control process has ended"};
        reporter.send(protocol::link::kCapturing,
                      protocol::CaptureBytes{part.capture, part.part,
                                             encodeBase64(std::as_bytes(std::span(piece)))});
    }
    return Done{};
}

Status takeCaptureBytes(const std::string& folder, int rank, const protocol::CaptureBytes& piece) {
    const std::string path = captureFile(folder, rank, piece.part);
    FL_TRY(const std::string bytes, decodeBase64(piece.bytes));
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.flush();
    if (!file)
        return Error{ErrorCode::Io, "cannot write " + path};
    return Done{};
}

}  // namespace fl::service
