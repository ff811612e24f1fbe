// SPDX-License-Identifier: GPL-3.0-or-later
// The states of a stage, a rank or a finding: each has a colour, a shape and a word, so that none
// is told by colour alone.
#pragma once

#include <QString>

#include "ui/widgets/theme.h"

namespace fl::widgets {

enum class State { Idle, Running, Passed, Warning, Failed, Stale, Stopped, Note };

QString stateIcon(State state);  // name of the icon
QString stateWord(State state);  // "failed", translated
Token stateColor(State state);
Token stateTint(State state);  // ground of a strip or badge

// From the words of the protocol: idle running passed warnings failed stale cancelled, and the
// severities info warning error. Unknown words are Idle.
State stateFromWord(const QString& word);

}  // namespace fl::widgets
