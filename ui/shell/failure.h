// SPDX-License-Identifier: GPL-3.0-or-later
// What the strip above the panels says: the rank that died, or the command that failed.
#pragma once

#include <optional>

#include <QString>

#include "ui/widgets/message_strip.h"

namespace fl::models {
struct Models;
}

namespace fl::shell {

// `error`: why the last command failed, empty if it did not. A dead rank is the worse of the two.
std::optional<widgets::StripMessage> failureMessage(const models::Models& models,
                                                    const QString& error);
// All of it in one text, for the clipboard.
QString failureText(const widgets::StripMessage& message);

}  // namespace fl::shell
