// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a program that outlives this process.
#pragma once

#include <sys/types.h>

#include <QString>
#include <QStringList>

namespace fl::client {

// In a session of its own, without input, what it says written to `logFile`. Its process id, or −1
// where it cannot be run. Not forked: a fork holds the locks of the allocator until all memory of
// this process is marked as shared, and every other thread that allocates waits for that.
pid_t spawnDetached(const QString& program, const QStringList& arguments, const QString& logFile);

}  // namespace fl::client
