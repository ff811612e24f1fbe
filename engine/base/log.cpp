// SPDX-License-Identifier: Apache-2.0
#include "engine/base/log.h"

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace fl::log {

namespace {

constexpr std::array<std::string_view, 5> kNames = {"debug", "info", "warning", "error", "off"};

spdlog::level::level_enum toSpdlog(Level level) {
    switch (level) {
        case Level::Debug:
            return spdlog::level::debug;
        case Level::Info:
            return spdlog::level::info;
        case Level::Warning:
            return spdlog::level::warn;
        case Level::Error:
            return spdlog::level::err;
        case Level::Off:
            return spdlog::level::off;
    }
    return spdlog::level::info;
}

std::shared_ptr<spdlog::logger> stderrLogger() {
    auto logger = std::make_shared<spdlog::logger>(
        "stderr", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_pattern("%H:%M:%S.%e %^%l%$ %v");
    logger->set_level(spdlog::level::debug);
    return logger;
}

// The one process-wide object: a log that had to be handed through every constructor would not be
// used where it is needed most.
struct Sinks {
    std::mutex mutex;
    std::atomic<Level> level{Level::Info};
    std::shared_ptr<spdlog::logger> console = stderrLogger();
    std::shared_ptr<spdlog::logger> file;
    std::function<void(const Line&)> callback;
};

Sinks& sinks() {
    static Sinks instance;
    return instance;
}

double unixSeconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

void dropFile(const std::string& reason) {
    sinks().file.reset();
    const std::string text = "the log file is given up: " + reason;
    if (sinks().console)
        sinks().console->warn("log: {}", text);
    if (sinks().callback)
        sinks().callback({unixSeconds(), Level::Warning, "log", text});
}

}  // namespace

std::string_view name(Level level) {
    return kNames[static_cast<std::size_t>(level)];
}

Result<Level> levelFromName(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name)
            return static_cast<Level>(i);
    }
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("'{}' is no log level (debug, info, warning, error, off)", name)};
}

void setLevel(Level level) {
    sinks().level = level;
}

void setStderr(bool on) {
    const std::lock_guard lock(sinks().mutex);
    sinks().console = on ? stderrLogger() : nullptr;
}

Status openFile(const std::string& path) {
    const std::lock_guard lock(sinks().mutex);
    try {
        auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
        auto logger = std::make_shared<spdlog::logger>("file", std::move(sink));
        logger->set_pattern("%Y-%m-%d %H:%M:%S.%f %l %v");
        logger->set_level(spdlog::level::debug);
        logger->flush_on(spdlog::level::debug);
        // Called with the lock held, from inside write().
        logger->set_error_handler([](const std::string& reason) { dropFile(reason); });
        sinks().file = std::move(logger);
    } catch (const spdlog::spdlog_ex& problem) {
        return Error{ErrorCode::Io, fmt::format("cannot log to {}: {}", path, problem.what())};
    }
    return Done{};
}

void setSink(std::function<void(const Line&)> sink) {
    const std::lock_guard lock(sinks().mutex);
    sinks().callback = std::move(sink);
}

void write(Level level, std::string_view category, std::string text) {
    if (level < sinks().level.load())
        return;
    const double now = unixSeconds();
    const std::lock_guard lock(sinks().mutex);
    if (sinks().console)
        sinks().console->log(toSpdlog(level), "{}: {}", category, text);
    if (const auto file = sinks().file)  // a copy: a failing write drops the member
        file->log(toSpdlog(level), "{}: {}", category, text);
    if (sinks().callback)
        sinks().callback({now, level, std::string(category), std::move(text)});
}

}  // namespace fl::log
