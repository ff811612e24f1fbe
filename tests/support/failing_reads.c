// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program (LD_PRELOAD): a disk that goes bad. Reads of files whose path ends with
// $FAILING_FILE fail with EIO where they touch what lies behind byte $FAILING_FROM (default 0);
// with $FAILING_OPEN set, opening such a file fails with that error number instead.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool isMeant(const char* path) {
    const char* wanted = getenv("FAILING_FILE");
    const size_t length = strlen(path);
    return wanted && length >= strlen(wanted) &&
           strcmp(path + length - strlen(wanted), wanted) == 0;
}

static bool fails(int fd, off_t end) {
    char link[64];
    char path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    const char* from = getenv("FAILING_FROM");
    return isMeant(path) && end > (from ? atoll(from) : 0);
}

static ssize_t refuse(void) {
    errno = EIO;
    return -1;
}

ssize_t pread(int fd, void* out, size_t count, off_t offset) {
    static ssize_t (*next)(int, void*, size_t, off_t);
    if (!next)
        next = (ssize_t(*)(int, void*, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
    return fails(fd, offset + (off_t)count) ? refuse() : next(fd, out, count, offset);
}

ssize_t pread64(int fd, void* out, size_t count, off_t offset) {
    return pread(fd, out, count, offset);
}

ssize_t read(int fd, void* out, size_t count) {
    static ssize_t (*next)(int, void*, size_t);
    if (!next)
        next = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
    const off_t at = lseek(fd, 0, SEEK_CUR);
    return at >= 0 && fails(fd, at + (off_t)count) ? refuse() : next(fd, out, count);
}

int open(const char* path, int flags, ...) {
    static int (*next)(const char*, int, ...);
    if (!next)
        next = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open64");
    va_list rest;
    va_start(rest, flags);
    const int mode = va_arg(rest, int);
    va_end(rest);
    const char* error = getenv("FAILING_OPEN");
    if (error && isMeant(path)) {
        errno = atoi(error);
        return -1;
    }
    return next(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const int mode = va_arg(rest, int);
    va_end(rest);
    return open(path, flags, mode);
}
