// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include "engine/base/checked.h"
#include "engine/base/unique_fd.h"

namespace fl {

namespace {

// "12.4", "896", "1,030": three or four digits that matter.
std::string threeDigits(double value) {
    if (value < 10)
        return fmt::format("{:.2f}", value);
    if (value < 100)
        return fmt::format("{:.1f}", value);
    return formatCount(std::llround(value));
}

struct Unit {
    std::string_view name;
    double factor;
};

// Splits "2GiB" or "2 GiB" into number and unit.
Result<double> parseQuantity(std::string_view text,
                             std::span<const Unit> units,
                             std::string_view what) {
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    while (!unit.empty() && unit.front() == ' ')
        unit.remove_prefix(1);
    if (problem == std::errc() && std::isfinite(value) && value >= 0) {
        for (const Unit& candidate : units) {
            if (candidate.name == unit)
                return value * candidate.factor;
        }
    }
    std::string names;
    for (const Unit& candidate : units) {
        if (!candidate.name.empty())
            names += (names.empty() ? "" : ", ") + std::string(candidate.name);
    }
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("'{}' is not a {} (a number and one of {})", text, what, names)};
}

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replace}));
        }
    }
    return row.back();
}

// Bytes of the character that `text` begins with (RFC 3629, section 4); 0 if it is none.
std::size_t utf8Length(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto follows = [&](std::size_t count, unsigned low, unsigned high) {
        if (text.size() <= count || byte(1) < low || byte(1) > high)
            return false;
        for (std::size_t i = 2; i <= count; ++i) {
            if ((byte(i) & 0xc0) != 0x80)
                return false;
        }
        return true;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return follows(1, 0x80, 0xbf) ? 2 : 0;
    if (lead >= 0xe0 && lead <= 0xef)
        return follows(2, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) ? 3 : 0;
    if (lead >= 0xf0 && lead <= 0xf4)
        return follows(3, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) ? 4 : 0;
    return 0;
}

Error ioError(const std::string& path, std::string_view verb) {
    const int code = errno;
    return {code == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
            fmt::format("cannot {} {}: {}", verb, path, std::strerror(code))};  // NOLINT
}

}  // namespace

std::string formatBytes(std::int64_t bytes) {
    constexpr std::array<std::string_view, 6> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    if (bytes < 0)
        return "\u2212" + formatBytes(bytes == INT64_MIN ? INT64_MAX : -bytes);
    if (bytes < 1024)
        return fmt::format("{} B", bytes);
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", threeDigits(value), kUnits[unit]);
}

std::string formatCount(std::int64_t count) {
    const auto magnitude = static_cast<std::uint64_t>(count);
    std::string digits = std::to_string(count < 0 ? 0 - magnitude : magnitude);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return (count < 0 ? "\u2212" : "") + digits;
}

std::string formatDuration(double seconds) {
    if (seconds > 0 && seconds < 1e-3)
        return fmt::format("{} µs", threeDigits(seconds * 1e6));
    if (seconds < 0.1)
        return fmt::format("{} ms", threeDigits(seconds * 1e3));
    if (seconds < 10)
        return fmt::format("{:.2f} s", seconds);
    if (seconds < 60)
        return fmt::format("{:.1f} s", seconds);
    const auto whole = std::llround(seconds);
    if (whole < 3600)
        return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02d} min", whole / 3600, whole % 3600 / 60);
}

Result<std::int64_t> parseBytes(std::string_view text) {
    constexpr std::array<Unit, 6> kUnits = {{{"", 1},
                                             {"B", 1},
                                             {"KiB", 1024.0},
                                             {"MiB", 1048576.0},
                                             {"GiB", 1073741824.0},
                                             {"TiB", 1099511627776.0}}};
    FL_TRY(const double bytes, parseQuantity(text, kUnits, "size"));
    if (bytes > 9e18)
        return Error{ErrorCode::InvalidArgument, fmt::format("size '{}' is too large", text)};
    return static_cast<std::int64_t>(bytes);
}

Result<double> parseDuration(std::string_view text) {
    constexpr std::array<Unit, 4> kUnits = {{{"", 1}, {"ms", 1e-3}, {"s", 1}, {"min", 60}}};
    return parseQuantity(text, kUnits, "time");
}

Result<std::int64_t> parseInteger(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size())
        return Error{ErrorCode::InvalidArgument, fmt::format("'{}' is not a whole number", text)};
    return value;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    std::string out;
    for (const std::string& part : parts) {
        if (&part != parts.data())
            out += separator;
        out += part;
    }
    return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> out;
    for (std::size_t start = 0;;) {
        const std::size_t end = text.find(separator, start);
        out.emplace_back(text.substr(start, end - start));
        if (end == std::string_view::npos)
            return out;
        start = end + 1;
    }
}

std::size_t utf8Fault(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        // Nearly all text is ASCII, which needs no look at single bytes.
        std::uint64_t word = 0;
        if (at + sizeof word <= text.size()) {
            std::memcpy(&word, text.data() + at, sizeof word);
            if ((word & 0x8080808080808080ULL) == 0) {
                at += sizeof word;
                continue;
            }
        }
        const std::size_t length = utf8Length(text.substr(at, 4));
        if (length == 0)
            return at;
        at += length;
    }
    return std::string_view::npos;
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = editDistance(word, candidate);
        // More than half of the letters changed is another word, unless one starts the other.
        const bool prefix = !word.empty() && candidate.starts_with(word);
        if (prefix || distance * 2 <= std::max(word.size(), candidate.size()))
            near.emplace_back(distance, candidate);
    }
    std::sort(near.begin(), near.end());
    near.resize(std::min<std::size_t>(near.size(), 3));
    std::string out;
    for (const auto& [distance, candidate] : near)
        out += (out.empty() ? " (nearest: " : ", ") + candidate;
    return out.empty() ? out : out + ")";
}

Result<std::string> readFile(const std::string& path, std::int64_t limit) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0)
        return ioError(path, "read");
    if (!S_ISREG(facts.st_mode))
        return Error{ErrorCode::InvalidArgument, path + " is not a regular file"};
    if (facts.st_size > limit) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("{} has {}, more than the {} allowed for it", path,
                                 formatBytes(facts.st_size), formatBytes(limit))};
    }
    std::string content(static_cast<std::size_t>(facts.st_size), '\0');
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t got = ::read(file.get(), content.data() + done, content.size() - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ioError(path, "read");
        if (got == 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    content.resize(done);
    return content;
}

Status writeFile(const std::string& path, std::string_view content) {
    const std::string part = path + ".part" + std::to_string(::getpid());
    UniqueFd file(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file)
        return ioError(part, "write");
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t put = ::write(file.get(), content.data() + done, content.size() - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            const Error problem = ioError(path, "write");
            ::unlink(part.c_str());
            return problem;
        }
        done += static_cast<std::size_t>(put);
    }
    if (::fsync(file.get()) != 0 || ::rename(part.c_str(), path.c_str()) != 0) {
        const Error problem = ioError(path, "write");
        ::unlink(part.c_str());
        return problem;
    }
    return Done{};
}

bool naturalLess(std::string_view a, std::string_view b) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (!digit(a[i]) || !digit(b[j])) {
            if (a[i] != b[j])
                return a[i] < b[j];
            ++i;
            ++j;
            continue;
        }
        const std::size_t endA = std::find_if_not(a.begin() + long(i), a.end(), digit) - a.begin();
        const std::size_t endB = std::find_if_not(b.begin() + long(j), b.end(), digit) - b.begin();
        if (endA - i != endB - j)
            return endA - i < endB - j;
        const int order = a.substr(i, endA - i).compare(b.substr(j, endB - j));
        if (order != 0)
            return order < 0;
        i = endA;
        j = endB;
    }
    return a.size() - i < b.size() - j;
}

}  // namespace fl
