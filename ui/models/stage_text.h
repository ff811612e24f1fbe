// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine says of a stage in one line, in the language of the window.
#pragma once

#include <string>

#include <QString>

namespace fl::models {

// Sentences that the engine ends stages with are known, their numbers kept; any other comes through
// as it is.
QString stageText(const std::string& said);

}  // namespace fl::models
