// SPDX-License-Identifier: Apache-2.0
// HostCollectives as the C table that device backends borrow.
#pragma once

#include "plugins/abi/firstlight_device.h"

namespace fl::comm {

class HostCollectives;

fl_transport transportTable(HostCollectives& collectives);

}  // namespace fl::comm
