// SPDX-License-Identifier: GPL-3.0-or-later
// posix_spawn with what a program in the background needs.
#include "ui/client/spawn.h"

#include <csignal>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <QFile>

extern char** environ;

namespace fl::client {

namespace {

// Signals as a shell would hand them on, whatever this process does with them.
void setAttributes(posix_spawnattr_t& attributes) {
    sigset_t handed;
    ::sigemptyset(&handed);
    ::posix_spawnattr_setsigmask(&attributes, &handed);
    ::sigaddset(&handed, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &handed);
    ::posix_spawnattr_setflags(&attributes,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

}  // namespace

pid_t spawnDetached(const QString& program, const QStringList& arguments, const QString& logFile) {
    const QByteArray log = QFile::encodeName(logFile);
    std::vector<QByteArray> words{QFile::encodeName(program)};
    for (const QString& argument : arguments) {
        words.push_back(argument.toLocal8Bit());
    }
    std::vector<char*> pointers;
    for (QByteArray& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    setAttributes(attributes);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.constData(),
                                       O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    pid_t pid = -1;
    const int error =
        ::posix_spawn(&pid, pointers.front(), &files, &attributes, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
    return error == 0 ? pid : -1;
}

}  // namespace fl::client
