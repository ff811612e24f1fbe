// SPDX-License-Identifier: GPL-3.0-or-later
// What there is to say about one rank, for hover cards and screen readers.
#pragma once

#include <vector>

#include "ui/models/models.h"
#include "ui/widgets/key_value_list.h"

namespace fl::panels {

QString rankSubtitle(const models::Models& models, int rank);  // "node-b · H100 80 GiB, card 5"
std::vector<widgets::KeyValue> rankRows(const models::Models& models, int rank);
// "node-b, card 5, in all_reduce #57 of tp1. Noticed 0.6 s later; 31 other ranks stopped."
QString lostDetail(const models::Models& models, const protocol::RankLost& lost);

}  // namespace fl::panels
