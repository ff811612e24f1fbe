// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::checkpoint {

namespace {

// git-lfs specification, "The Pointer": a text file of three lines that begins with this.
constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/spec/v1";

std::string_view textOf(std::span<const std::byte> bytes, std::size_t limit) {
    return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), limit)};
}

std::string lowerCase(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return out;
}

bool isText(std::string_view head) {
    // The last character of the head may be cut.
    if (utf8Fault(head) < head.size() - std::min<std::size_t>(head.size(), 3))
        return false;
    return std::all_of(head.begin(), head.end(), [](unsigned char letter) {
        return (letter >= 0x20 && letter != 0x7f) || letter == '\n' || letter == '\r' ||
               letter == '\t';
    });
}

// "size 28864" of a pointer file, or "".
std::string pointerSize(std::string_view text) {
    const auto at = text.find("\nsize ");
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = text.substr(at + 6);
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
}

}  // namespace

std::string_view name(FileKind kind) {
    constexpr std::array<std::string_view, 11> kNames = {
        "unknown bytes", "a GGUF file", "a safetensors file", "a git-lfs pointer", "an HTML page",
        "JSON text",     "text",        "a zip archive",      "gzip data",         "a pickle",
        "only zeros"};
    return kNames[static_cast<std::size_t>(kind)];
}

FileKind fileKind(std::span<const std::byte> bytes) {
    const std::string_view head = textOf(bytes, 512);
    if (head.empty())
        return FileKind::Unknown;
    if (head.starts_with("GGUF"))
        return FileKind::Gguf;
    if (head.starts_with(kLfsPointer))
        return FileKind::LfsPointer;
    if (head.starts_with("PK\x03\x04"))
        return FileKind::Zip;
    if (head.starts_with("\x1f\x8b"))
        return FileKind::Gzip;
    if (head.size() > 8 && head[8] == '{')
        return FileKind::Safetensors;
    if (head.starts_with("\x80\x02") || head.starts_with("\x80\x04"))
        return FileKind::Pickle;
    if (std::all_of(head.begin(), head.end(), [](char byte) { return byte == '\0'; }))
        return FileKind::Zeros;
    const std::string lower = lowerCase(head.substr(0, 100));
    if (lower.find("<!doctype html") != std::string::npos || lower.find("<html") == 0)
        return FileKind::HtmlPage;
    if (!isText(head))
        return FileKind::Unknown;
    const auto first = head.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && head[first] == '{' ? FileKind::JsonText
                                                                 : FileKind::Text;
}

void addForeignFile(FindingList& findings,
                    std::string_view code,
                    std::string_view file,
                    std::string_view expected,
                    std::span<const std::byte> bytes) {
    const FileKind kind = fileKind(bytes);
    if (kind == FileKind::LfsPointer) {
        const std::string size = pointerSize(textOf(bytes, 512));
        Finding& finding =
            findings.error("lfs-pointer", file,
                           fmt::format("{} is a git-lfs pointer of {} B, not the file itself", file,
                                       bytes.size()));
        finding.expected = expected;
        finding.found = "git-lfs pointer" + (size.empty() ? "" : ", real size " + size);
        finding.remedy = "run 'git lfs pull' in the folder, or fetch this file from the hub";
        return;
    }
    Finding& finding = findings.error(
        code, file, fmt::format("{} is {}, not a {} file", file, name(kind), expected));
    finding.expected = expected;
    finding.found = name(kind);
    finding.remedy = "fetch this file again";
}

}  // namespace fl::checkpoint
