// SPDX-License-Identifier: GPL-3.0-or-later
// A large checkpoint that takes no room: real headers before files that are all holes.
#pragma once

#include <QString>

namespace fl::test {

struct SparseModel {
    int layers = 52;
    int experts = 128;
    int files = 13;
    // Faults of the contract, in the last layer.
    bool leaveOneOut = false;
    bool addOne = false;
    QString type;  // model type and architecture; empty: the one whose tensors these are

    // Of the checkpoint, without faults.
    int tensors() const { return layers * (8 + 1 + 3 * experts) + 3; }
};

// A mixture of experts in the architecture of tiny-qwen3-moe, whose tokenizer it takes from `like`.
// False if the files cannot be written.
bool writeSparseModel(const SparseModel& model, const QString& like, const QString& folder);

}  // namespace fl::test
