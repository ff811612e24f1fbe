// SPDX-License-Identifier: Apache-2.0
#include "engine/service/error_map.h"

#include <array>
#include <utility>

namespace fl::service {

namespace {

// −32000 … −32099 are left to applications by the specification.
constexpr std::array<std::pair<ErrorCode, int>, 10> kCodes = {{
    {ErrorCode::Cancelled, -32001},
    {ErrorCode::Corrupt, protocol::kParseError},
    {ErrorCode::DeviceLost, -32003},
    {ErrorCode::Internal, protocol::kInternalError},
    {ErrorCode::InvalidArgument, protocol::kInvalidParams},
    {ErrorCode::Io, -32006},
    {ErrorCode::NotFound, -32007},
    {ErrorCode::OutOfMemory, -32008},
    {ErrorCode::Timeout, -32009},
    {ErrorCode::Unsupported, -32010},
}};

}  // namespace

protocol::RpcError toRpc(const Error& error) {
    for (const auto& [code, number] : kCodes) {
        if (code == error.code)
            return {number, error.message, {}};
    }
    return {protocol::kInternalError, error.message, {}};
}

Error fromRpc(const protocol::RpcError& error) {
    for (const auto& [code, number] : kCodes) {
        if (number == error.code)
            return {code, error.message};
    }
    // An unknown method or a malformed request: the caller's fault, whatever the number.
    return {ErrorCode::InvalidArgument, error.message};
}

}  // namespace fl::service
