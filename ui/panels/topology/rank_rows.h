// SPDX-License-Identifier: GPL-3.0-or-later
// What there is to say about one rank, for hover cards and screen readers.
#pragma once

#include <vector>

#include "ui/models/models.h"
#include "ui/widgets/key_value_list.h"

namespace fl::panels {

QString rankSubtitle(const models::Models& models, int rank);  // "node-b · H100 80 GiB, card 5"
std::vector<widgets::KeyValue> rankRows(const models::Models& models, int rank);

}  // namespace fl::panels
