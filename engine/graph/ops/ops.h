// SPDX-License-Identifier: Apache-2.0
// What each file of this folder gives to op_list.cpp.
#pragma once

#include "engine/graph/op.h"

namespace fl::graph::ops {

OpDef add();
OpDef attention();
OpDef columns();
OpDef embedding();
OpDef gatherRows();
OpDef linear();
OpDef mlaAttention();
OpDef moeExperts();
OpDef rmsNorm();
OpDef rope();
OpDef routerSelect();
OpDef routerTopk();
OpDef siluMul();

}  // namespace fl::graph::ops
