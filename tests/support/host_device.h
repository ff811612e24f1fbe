// SPDX-License-Identifier: Apache-2.0
// The least device that groups can be made on: host memory, no kernels, collectives handed straight
// to the transport.
#pragma once

#include "engine/comm/group.h"

namespace fl::test {

const fl_plugin& hostPlugin();
comm::DeviceLink hostDevice();

}  // namespace fl::test
