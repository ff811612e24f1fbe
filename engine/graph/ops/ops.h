// SPDX-License-Identifier: Apache-2.0
// What each file of this folder gives to op_list.cpp.
#pragma once

#include "engine/graph/op.h"

namespace fl::graph::ops {

OpDef activation();
OpDef add();
OpDef attention();
OpDef columns();
OpDef compress();
OpDef deltaRule();
OpDef embedding();
OpDef gatedActivation();
OpDef gatedNorm();
OpDef gatherRows();
OpDef groupedLinear();
OpDef hyperCollapse();
OpDef hyperExpand();
OpDef imageAttention();
OpDef layerNorm();
OpDef linear();
OpDef mlaAttention();
OpDef moeExperts();
OpDef patchEmbed();
OpDef patchMerge();
OpDef placeImages();
OpDef poolAttention();
OpDef poolCache();
OpDef positionGrid();
OpDef repeatStreams();
OpDef residualAttention();
OpDef rmsNorm();
OpDef rope();
OpDef routerSelect();
OpDef routerTopk();
OpDef scale();
OpDef shortConvolution();
OpDef sigmoidGate();
OpDef siluMul();
OpDef sparseIndex();

}  // namespace fl::graph::ops
