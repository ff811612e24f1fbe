// SPDX-License-Identifier: Apache-2.0
// A plan for people: what `firstlightctl plan` prints.
#pragma once

#include <string>
#include <vector>

#include "engine/protocol/plan_messages.h"

namespace fl::app {

// One line: mesh, context, what would still fit, the predicted step and its largest term.
std::string planHeading(const protocol::PlanInfo& plan);

// One row for each rank; neighbours that hold the same share a row.
std::string rankTable(const protocol::PlanInfo& plan);

std::string planTable(const std::vector<protocol::AlternativeInfo>& plans);

// Two plans line by line, with the difference where both are numbers.
std::string comparison(const std::string& oneName,
                       const protocol::PlanInfo& one,
                       const std::string& otherName,
                       const protocol::PlanInfo& other);

}  // namespace fl::app
