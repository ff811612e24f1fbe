// SPDX-License-Identifier: GPL-3.0-or-later
// What an engine said in three runs, as the structs of the protocol: a small real model on six CPU
// cards, a large one on 32 cards while it loads, and that one after a rank died.
#pragma once

#include <vector>

#include "engine/protocol/messages.h"

namespace fl::test {

// SmolLM2-135M-Instruct (GGUF, Q4_1) as tp3·pp2 on one node of six CPU cards.
std::vector<protocol::TensorRow> smollmTensors();
// Rows as the engine's answer to `checkpoint.columns`: all in one page, or by pages.
std::vector<protocol::TensorColumns> columnsOf(std::vector<protocol::TensorRow> rows,
                                               std::size_t page = 1U << 20);
protocol::Census smollmCensus();
protocol::Topology smollmTopology();
protocol::PlanInfo smollmPlan();
protocol::Snapshot smollmServing();  // loaded, one question answered
protocol::Snapshot smollmPlanned();  // nothing launched yet
// The answer to a what-if of TP 2, which nine heads refuse.
protocol::PlanInfo smollmRefused();
std::vector<protocol::SliceInfo> smollmSlices(int rank);

// 61 layers, 384 experts in 60 of them, 64 files, as tp8·pp4·ep8 on 4 × 8 cards. One node reads
// slowly and one link is slow.
std::vector<protocol::TensorRow> kimiTensors();
protocol::Census kimiCensus();
protocol::Topology kimiTopology();
protocol::PlanInfo kimiPlan();
protocol::Snapshot kimiLoading();
protocol::Snapshot kimiFailed();  // rank 13 died by SIGBUS during Launch

// A validation of two cases: one agrees, one parts in layer 34 on rank 21.
protocol::ValidateReply parted();

// Unix time at which the recordings end.
constexpr double kRecordedNow = 1'790'000'000.0;

}  // namespace fl::test
