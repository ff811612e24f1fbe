// SPDX-License-Identifier: Apache-2.0
// The one table between our errors and JSON-RPC's numbers.
#pragma once

#include "engine/base/result.h"
#include "engine/protocol/rpc.h"

namespace fl::service {

protocol::RpcError toRpc(const Error& error);
Error fromRpc(const protocol::RpcError& error);

}  // namespace fl::service
