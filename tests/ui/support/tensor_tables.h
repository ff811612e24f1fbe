// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded tensors as the table that the window makes of them.
#pragma once

#include <memory>

#include "tests/ui/support/recorded.h"
#include "ui/models/tensor_table.h"

namespace fl::test {

inline std::shared_ptr<const models::TensorTable> tableOf(
    const std::vector<protocol::TensorRow>& rows) {
    auto table = std::make_shared<models::TensorTable>();
    for (const protocol::TensorColumns& page : columnsOf(rows)) {
        if (!table->append(page))
            return nullptr;
    }
    table->finish();
    return table;
}

}  // namespace fl::test
