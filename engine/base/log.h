// SPDX-License-Identifier: Apache-2.0
// Log lines with a category (the folder that speaks), kept behind this header so that the library
// stays in log.cpp.
//
//     log::info("load", "read {} in {:.2f} s", name, seconds);
//
// Sinks: standard error, one file, and any callback (the rank link). Safe from every thread. A
// sink that fails (disk full) is dropped with one line on the others, never an error upward.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "engine/base/result.h"

namespace fl::log {

enum class Level : std::uint8_t { Debug, Info, Warning, Error, Off };

std::string_view name(Level level);
Result<Level> levelFromName(std::string_view name);

struct Line {
    double unixSeconds = 0;
    Level level = Level::Info;
    std::string category;
    std::string text;
};

// Lines below it are dropped. Default: Info.
void setLevel(Level level);
// Standard error is on at start; the rank processes and `--quiet` switch it off.
void setStderr(bool on);
// Appends to a file, flushed at every line. One file at a time.
Status openFile(const std::string& path);
// Called for each line on the thread that logs; replaces the former callback. Empty removes it.
void setSink(std::function<void(const Line&)> sink);

void write(Level level, std::string_view category, std::string text);

template <class... A>
void debug(std::string_view category, fmt::format_string<A...> form, A&&... values) {
    write(Level::Debug, category, fmt::format(form, std::forward<A>(values)...));
}
template <class... A>
void info(std::string_view category, fmt::format_string<A...> form, A&&... values) {
    write(Level::Info, category, fmt::format(form, std::forward<A>(values)...));
}
template <class... A>
void warning(std::string_view category, fmt::format_string<A...> form, A&&... values) {
    write(Level::Warning, category, fmt::format(form, std::forward<A>(values)...));
}
template <class... A>
void error(std::string_view category, fmt::format_string<A...> form, A&&... values) {
    write(Level::Error, category, fmt::format(form, std::forward<A>(values)...));
}

}  // namespace fl::log
