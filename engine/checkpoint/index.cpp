// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/index.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "engine/base/file_reader.h"
#include "engine/base/json_scanner.h"
#include "engine/base/text.h"
#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/safetensors_header.h"
#include "engine/checkpoint/shard_file.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

// The index of half a million tensors has 60 MB.
constexpr std::int64_t kMaxIndexBytes = std::int64_t{256} << 20;
constexpr int kUsualDepth = 64;
constexpr int kMaxDepth = 10'000;
constexpr std::string_view kRefetch = "fetch the index again";

// Why a file name is refused, or "". Only files of the folder itself are ever opened.
std::string_view pathFault(std::string_view file) {
    if (file.empty())
        return "empty name";
    if (file.find('\0') != std::string_view::npos)
        return "NUL in the name";
    if (file.front() == '/')
        return "absolute path";
    if (file == ".." || file.starts_with("../") || file.find("/../") != std::string_view::npos ||
        file.ends_with("/.."))
        return "path outside the folder";
    if (!file.ends_with(".safetensors"))
        return "no .safetensors file";
    return {};
}

void indexFault(FindingList& findings,
                const std::string& fileName,
                const std::string& what,
                std::string_view expected,
                std::string_view found) {
    Finding& finding = findings.error("index-json", fileName, fileName + ": " + what);
    finding.expected = expected;
    finding.found = found;
    finding.remedy = kRefetch;
}

// {"metadata": {"total_size": N}, "weight_map": {tensor: file}}
class IndexParser {
public:
    IndexParser(ShardIndex& index,
                FindingList& findings,
                std::string_view text,
                const CancelToken& cancel)
        : index_(index),
          findings_(findings),
          scanner_(text, kMaxDepth),
          cancel_(cancel) {}

    bool run() {
        const Token first = scanner_.next();
        if (first == Token::Fault)
            return jsonFault();
        if (first != Token::BeginObject)
            return notAnObject(first);
        Token token = scanner_.next();
        if (token == Token::EndObject && scanner_.next() == Token::End) {
            indexFault(findings_, index_.fileName, "is an empty object", "object with keys",
                       "empty-object");
            return false;
        }
        for (; token == Token::Key && !cancel_.cancelled(); token = scanner_.next())
            section();
        if (token == Token::Fault || (!cancel_.cancelled() && scanner_.next() != Token::End))
            return jsonFault();
        if (!hasMetadata_)
            metadataFault("absent");
        return !cancel_.cancelled();
    }

private:
    using Token = JsonScanner::Token;

    bool jsonFault() {
        const JsonFault& fault = scanner_.fault();
        if (fault.expected.find("levels") == std::string::npos) {
            indexFault(findings_, index_.fileName, fault.message(), fault.expected, fault.found);
            return false;
        }
        // Counted below the object itself, as for what is only warned of.
        const std::int64_t levels =
            parseInteger(fault.found).has_value() ? *parseInteger(fault.found) - 1 : kMaxDepth;
        indexFault(findings_, index_.fileName, fault.message(),
                   fmt::format("<= {} levels", kUsualDepth), std::to_string(levels));
        return false;
    }

    bool notAnObject(Token token) {
        const std::string kind = kindOf(scanner_, token);
        if (!scanner_.skip(token) || scanner_.next() != Token::End)
            return jsonFault();
        indexFault(findings_, index_.fileName, "is a " + kind + ", not an object",
                   "object with keys", kind);
        return false;
    }

    void section() {
        const std::string key(scanner_.text());
        if (key == "weight_map")
            section(key, hasMap_, [this] { map(); });
        else if (key == "metadata")
            section(key, hasMetadata_, [this] { metadata(); });
        else
            unknown(key);
    }

    template <class Read>
    void section(const std::string& key, bool& seen, const Read& read) {
        if (std::exchange(seen, true)) {
            Finding& finding = findings_.error("index-json", index_.fileName,
                                               fmt::format("{} has two {}", index_.fileName, key));
            finding.key = key;
            finding.expected = "one " + key;
            finding.found = "two";
            finding.remedy = kRefetch;
        }
        read();
    }

    void unknown(const std::string& key) {
        constexpr std::size_t kLongestKey = 4096;
        if (key.size() > kLongestKey)
            oddKey("has a key that is no name", "no unknown key",
                   fmt::format("key of {} bytes", key.size()));
        int levels = 0;
        if (scanner_.skip(Token::Key, &levels) && levels > kUsualDepth)
            oddKey(fmt::format("nests lists {} deep under a key nobody reads", levels),
                   fmt::format("<= {} levels", kUsualDepth), std::to_string(levels));
    }

    void oddKey(const std::string& what, std::string expected, std::string found) {
        Finding& finding = findings_.warning("index-key", index_.fileName,
                                             fmt::format("{} {}", index_.fileName, what));
        finding.expected = std::move(expected);
        finding.found = std::move(found);
    }

    void metadata() {
        const Token token = scanner_.next();
        if (token == Token::Fault)
            return;
        if (token != Token::BeginObject) {
            const std::string kind = kindOf(scanner_, token);
            scanner_.skip(token);
            return metadataFault(kind);
        }
        while (scanner_.next() == Token::Key) {
            if (scanner_.text() == "total_size")
                total();
            else
                scanner_.skip(Token::Key);
        }
    }

    void metadataFault(std::string_view found) {
        Finding& finding = findings_.warning(
            "index-metadata", index_.fileName,
            found == "absent" ? fmt::format("{} has no metadata", index_.fileName)
                              : fmt::format("metadata of {} is a {}", index_.fileName, found));
        finding.key = "metadata";
        finding.expected = "object";
        finding.found = found;
    }

    void total() {
        const Token token = scanner_.next();
        if (token == Token::Number && scanner_.integer()) {
            index_.totalBytes = scanner_.integer();
            return;
        }
        std::string found = kindOf(scanner_, token);
        std::string expected = "integer";
        if (token == Token::Number) {
            found = scanner_.isInteger() ? std::string(scanner_.text())
                                         : fmt::format("float {}", scanner_.text());
            expected = scanner_.isInteger() ? "< 2^63" : expected;
        }
        scanner_.skip(token);
        Finding& finding = findings_.warning(
            "index-total-size", index_.fileName,
            fmt::format("total_size of {} is no number of bytes", index_.fileName));
        finding.key = "metadata.total_size";
        finding.expected = std::move(expected);
        finding.found = std::move(found);
    }

    void map() {
        const Token token = scanner_.next();
        index_.mapKind = kindOf(scanner_, token);
        if (token != Token::BeginObject) {
            scanner_.skip(token);
            return;
        }
        while (!cancel_.cancelled() && scanner_.next() == Token::Key) {
            tensor_ = scanner_.isView() ? scanner_.text() : index_.names.keep(scanner_.text());
            const Token value = scanner_.next();
            if (value == Token::String) {
                addEntry(scanner_.text());
                continue;
            }
            const std::string kind = kindOf(scanner_, value);
            if (scanner_.skip(value))
                refuse(kind, kind);
        }
    }

    void addEntry(std::string_view file) {
        if (const std::string_view problem = pathFault(file); !problem.empty())
            return refuse(file, problem);
        // Neighbours mostly lie in the same file.
        if (lastFile_ < 0 || index_.files[static_cast<std::size_t>(lastFile_)] != file) {
            auto place = files_.find(file);
            if (place == files_.end()) {
                place = files_.emplace(file, static_cast<std::int32_t>(index_.files.size())).first;
                index_.files.emplace_back(file);
            }
            lastFile_ = place->second;
        }
        index_.entries.push_back({tensor_, lastFile_});
    }

    void refuse(std::string_view given, std::string_view problem) {
        constexpr std::size_t kKept = 1000;
        if (index_.refused.size() < kKept)
            index_.refused.push_back(
                {std::string(tensor_), printable(given), std::string(problem)});
    }

    ShardIndex& index_;
    FindingList& findings_;
    JsonScanner scanner_;
    const CancelToken& cancel_;
    std::map<std::string, std::int32_t, std::less<>> files_;
    std::int32_t lastFile_ = -1;
    std::string_view tensor_;
    bool hasMap_ = false;
    bool hasMetadata_ = false;
};

// Shards are numbered in the order of their names, whatever order the index has.
void sortFiles(ShardIndex& index) {
    std::vector<std::int32_t> order(index.files.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&index](std::int32_t a, std::int32_t b) {
        return index.files[static_cast<std::size_t>(a)] < index.files[static_cast<std::size_t>(b)];
    });
    std::vector<std::int32_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    for (ShardIndex::Entry& entry : index.entries)
        entry.file = place[static_cast<std::size_t>(entry.file)];
    std::sort(index.files.begin(), index.files.end());
}

// Sorts the entries and drops all but the first of a name.
void sortEntries(ShardIndex& index, FindingList& findings) {
    auto& entries = index.entries;
    const auto before = [](const ShardIndex::Entry& a, const ShardIndex::Entry& b) {
        return a.tensor < b.tensor;
    };
    if (!std::is_sorted(entries.begin(), entries.end(), before))
        std::stable_sort(entries.begin(), entries.end(), before);
    const auto same = [](const ShardIndex::Entry& a, const ShardIndex::Entry& b) {
        return a.tensor == b.tensor;
    };
    for (auto at = std::adjacent_find(entries.begin(), entries.end(), same); at != entries.end();
         at = std::adjacent_find(at + 1, entries.end(), same)) {
        Finding& finding = findings.error(
            "index-json", index.fileName,
            fmt::format("{} lists tensor {} twice", index.fileName, printable(at->tensor)));
        finding.tensor = printable(at->tensor);
        finding.expected = "one entry";
        finding.found = "2";
        finding.remedy = kRefetch;
    }
    entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
}

// The text of the index, or nothing with a finding.
std::unique_ptr<const std::string> indexText(const std::string& path,
                                             const std::string& fileName,
                                             FindingList& findings) {
    auto file = FileReader::open(path);
    if (!file) {
        addOpenFault(findings, fileName, path, file.error());
        return nullptr;
    }
    if (file->bytes() > kMaxIndexBytes) {
        indexFault(findings, fileName,
                   fmt::format("has {}, no index is that large", formatBytes(file->bytes())),
                   "<= 256 MiB", std::to_string(file->bytes()));
        return nullptr;
    }
    auto text = std::make_unique<std::string>(static_cast<std::size_t>(file->bytes()), '\0');
    if (const Status read = file->read(0, std::as_writable_bytes(std::span(*text))); !read) {
        addOpenFault(findings, fileName, path, read.error());
        return nullptr;
    }
    return text;
}

bool checkText(std::string_view& text, const std::string& fileName, FindingList& findings) {
    const auto bytes = std::as_bytes(std::span(text));
    if (fileKind(bytes) == FileKind::LfsPointer || fileKind(bytes) == FileKind::HtmlPage) {
        addForeignFile(findings, "index-json", fileName, "JSON", bytes);
        return false;
    }
    if (text.starts_with(kByteOrderMark)) {
        Finding& finding = findings.warning(
            "index-key", fileName, fmt::format("{} begins with a byte order mark", fileName));
        finding.expected = "no byte order mark";
        finding.found = "UTF-8 byte order mark";
        text.remove_prefix(kByteOrderMark.size());
    }
    if (const auto fault = jsonEncodingFault(text)) {
        indexFault(findings, fileName, fault->message(), fault->expected, fault->found);
        return false;
    }
    return true;
}

}  // namespace

std::optional<ShardIndex> readIndex(const std::string& folder,
                                    const std::string& fileName,
                                    FindingList& findings,
                                    const CancelToken& cancel) {
    ShardIndex index;
    index.fileName = fileName;
    index.text = indexText(folder + "/" + fileName, fileName, findings);
    if (!index.text)
        return std::nullopt;
    std::string_view text = *index.text;
    if (!checkText(text, fileName, findings) || !IndexParser(index, findings, text, cancel).run())
        return std::nullopt;
    sortFiles(index);
    sortEntries(index, findings);
    return index;
}

void addMapFault(const ShardIndex& index, std::size_t tensors, FindingList& findings) {
    const bool reversed =
        !index.refused.empty() &&
        std::all_of(index.refused.begin(), index.refused.end(),
                    [](const auto& refused) { return refused.tensor.ends_with(".safetensors"); });
    const bool isObject = index.mapKind == "object";
    Finding& finding = findings.error(
        "index-weight-map", index.fileName,
        !isObject ? fmt::format("{} has no weight_map", index.fileName)
        : index.refused.empty()
            ? fmt::format("{} has an empty weight_map", index.fileName)
            : fmt::format("weight_map of {} gives no tensor a file", index.fileName));
    finding.key = "weight_map";
    finding.expected = !isObject               ? "object"
                       : index.refused.empty() ? fmt::format("{} names", tensors)
                                               : "name -> file";
    finding.found = !isObject               ? index.mapKind
                    : index.refused.empty() ? "0"
                    : reversed              ? "file -> name"
                                            : index.refused.front().problem;
    finding.remedy = kRefetch;
}

}  // namespace fl::checkpoint
