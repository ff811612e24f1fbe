// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/safetensors_header.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/base/checked.h"
#include "engine/base/text.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::string_view kRefetch = "fetch this file again, or convert the model again";
constexpr int kAnyDepth = 200'000'000;  // more than a header has bytes

// Block formats are GGUF's; no safetensors file holds one under that name.
std::optional<DType> plainDtype(std::string_view name) {
    const auto dtype = dtypeFromName(name);
    return dtype && !isQuantised(*dtype) ? dtype : std::nullopt;
}

std::vector<std::string> plainNames() {
    std::vector<std::string> out;
    for (int i = 0; i < kDTypeCount; ++i) {
        if (!isQuantised(static_cast<DType>(i)))
            out.emplace_back(name(static_cast<DType>(i)));
    }
    return out;
}

std::string shown(const std::vector<std::int64_t>& values) {
    std::vector<std::string> parts;
    for (const std::int64_t value : values)
        parts.push_back(std::to_string(value));
    return "[" + join(parts, ", ") + "]";
}

}  // namespace

std::string kindOf(const JsonScanner& scanner, JsonScanner::Token token) {
    switch (token) {
        case JsonScanner::Token::BeginObject:
            return "object";
        case JsonScanner::Token::BeginArray:
            return "list";
        case JsonScanner::Token::String:
            return "string";
        case JsonScanner::Token::Number:
            return scanner.isInteger() ? "number" : std::string(scanner.text());
        case JsonScanner::Token::True:
            return "true";
        case JsonScanner::Token::False:
            return "false";
        default:
            return "null";
    }
}

SafetensorsHeader::SafetensorsHeader(std::string_view text,
                                     const Shard& shard,
                                     std::int32_t index,
                                     Inventory& inventory,
                                     FindingList& findings)
    : scanner_(text, kAnyDepth),
      shard_(shard),
      index_(index),
      inventory_(inventory),
      findings_(findings) {}

std::optional<JsonFault> SafetensorsHeader::read(const CancelToken& cancel) {
    scanner_.next();
    while (!cancel.cancelled()) {
        const Token token = scanner_.next();
        if (token == Token::Key)
            entry();
        else if (token == Token::End)
            return std::nullopt;
        else if (token == Token::Fault)
            return scanner_.fault();
    }
    return std::nullopt;
}

void SafetensorsHeader::entry() {
    nameEntry();
    if (name_ == kMetadata)
        return metadata();
    const Token token = scanner_.next();
    if (token != Token::BeginObject) {
        wrongKind("an object", passOver(token));
        complete_ = false;
        return;
    }
    Token next = scanner_.next();
    for (; next == Token::Key; next = scanner_.next())
        field();
    if (next == Token::EndObject)
        finishEntry();
}

void SafetensorsHeader::nameEntry() {
    name_ = scanner_.text();
    if (!scanner_.isView()) {
        escapedName_ = name_;
        name_ = escapedName_;
    }
    entry_ = {};
    for (Numbers* list : {&dims_, &offsets_}) {
        list->present = false;
        list->good = true;
        list->values.clear();
        list->tooLarge.clear();
    }
    if (name_ == kMetadata)
        return;
    if (const std::string problem = tensorNameFault(name_); !problem.empty()) {
        constexpr std::size_t kShownBytes = 80;
        const std::string found = name_.size() < kShownBytes
                                      ? printable(name_)
                                      : fmt::format("{} bytes", formatCount(name_.size()));
        Finding& finding = fault("tensor-name", "has a bad name: it " + problem);
        finding.expected = "a tensor name";
        finding.found = found;
        if (badNames_.size() < 5)
            badNames_.push_back(found.empty() ? "an empty name" : found);
    }
}

void SafetensorsHeader::field() {
    const std::string_view key = scanner_.text();
    const auto twice = [this](std::string_view which, bool present) {
        if (present) {
            Finding& finding = fault("tensor-duplicate", fmt::format("has two fields '{}'", which));
            finding.expected = fmt::format("one {}", which);
            finding.found = "2";
        }
    };
    if (key == "dtype") {
        twice("dtype", entry_.hasDtype);
        return dtype();
    }
    if (key == "shape") {
        twice("shape", dims_.present);
        return numbers(dims_, true);
    }
    if (key == "data_offsets") {
        twice("data_offsets", offsets_.present);
        return numbers(offsets_, false);
    }
    const std::string found = printable(key);
    Finding& finding =
        findings_.warning("tensor-field-unknown", shard_.fileName,
                          fmt::format("tensor {} of {} has a field '{}' that the format does not "
                                      "know",
                                      printable(name_), shard_.fileName, found));
    finding.tensor = printable(name_);
    finding.expected = "dtype, shape, data_offsets";
    finding.found = found;
    scanner_.skip(Token::Key);
}

void SafetensorsHeader::metadata() {
    const Token token = scanner_.next();
    if (token != Token::BeginObject)
        return wrongMetadata(passOver(token));
    std::vector<std::string> keys;
    while (scanner_.next() == Token::Key) {
        keys.emplace_back(scanner_.text());
        metadataValue();
    }
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end())
        wrongMetadata("two keys '" + printable(*twice) + "'");
}

void SafetensorsHeader::metadataValue() {
    const Token token = scanner_.next();
    if (token != Token::String)
        wrongMetadata("a value that is a " + passOver(token));
}

void SafetensorsHeader::dtype() {
    entry_.hasDtype = true;
    const Token token = scanner_.next();
    if (token != Token::String)
        return wrongKind("string", passOver(token));
    entry_.dtype = plainDtype(scanner_.text());
    if (entry_.dtype)
        return;
    const std::string found = printable(scanner_.text());
    std::string upper = found;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    const bool onlyCase = plainDtype(upper).has_value();
    Finding& finding =
        fault("dtype-unknown", fmt::format("has dtype {}, which the format does not know{}", found,
                                           nearest(onlyCase ? upper : found, plainNames())));
    finding.expected = onlyCase ? upper : "a known dtype";
    finding.found = found;
}

void SafetensorsHeader::numbers(Numbers& out, bool isShape) {
    out.present = true;
    out.values.clear();
    const Token token = scanner_.next();
    if (token != Token::BeginArray) {
        out.good = false;
        return wrongKind("list", passOver(token));
    }
    const std::size_t begin = scanner_.at();
    for (Token item = scanner_.next(); item != Token::EndArray; item = scanner_.next()) {
        if (item == Token::Fault)
            return;
        if (item == Token::Number && scanner_.isInteger()) {
            number(out, isShape);
            continue;
        }
        const std::string found = passOver(item);
        if (std::exchange(out.good, false))
            wrongKind("integer", found);
    }
    if (!out.tooLarge.empty())
        out.spelled = scanner_.textFrom(begin);
}

void SafetensorsHeader::number(Numbers& out, bool isShape) {
    if (const auto value = scanner_.integer()) {
        out.values.push_back(*value);
        return;
    }
    const std::string_view spelled = scanner_.text();
    if (spelled.front() != '-') {
        out.tooLarge = spelled;
        out.values.push_back(std::numeric_limits<std::int64_t>::max());
        return;
    }
    Finding& finding =
        fault(isShape ? "shape-negative" : "offsets-invalid", "has a number below zero");
    finding.expected = ">= 0";
    finding.found = spelled;
    out.good = false;
}

void SafetensorsHeader::finishEntry() {
    if (!checkFields()) {
        complete_ = false;
        return;
    }
    std::optional<DataRange> range = takeRange();
    if (!range) {
        complete_ = false;
        return;
    }
    const bool good = entry_.good && checkShape(*range) && checkSize(*range);
    if (good && checkedAdd(shard_.dataOffset, range->end)) {
        range->name = inventory_.add({name_, *entry_.dtype, shape_, index_,
                                      shard_.dataOffset + range->begin, range->end - range->begin});
    }
    ranges_.push_back(*range);
}

bool SafetensorsHeader::checkFields() {
    const auto missing = [this](std::string_view field) {
        Finding& finding = fault("tensor-field-missing", fmt::format("has no {}", field));
        finding.expected = field;
        finding.found = "absent";
    };
    if (!entry_.hasDtype && entry_.good)
        missing("dtype");
    if (!dims_.present && entry_.good)
        missing("shape");
    if (!offsets_.present && entry_.good)
        missing("data_offsets");
    checkNegative(dims_, true);
    return checkNegative(offsets_, false) && offsets_.present && offsets_.good;
}

bool SafetensorsHeader::checkNegative(const Numbers& list, bool isShape) {
    const auto at = std::find_if(list.values.begin(), list.values.end(),
                                 [](std::int64_t value) { return value < 0; });
    if (at == list.values.end())
        return true;
    Finding& finding =
        fault(isShape ? "shape-negative" : "offsets-invalid",
              isShape ? "has a negative dimension" : "begins or ends before the data");
    finding.expected = ">= 0";
    finding.found = std::to_string(*at);
    return false;
}

// Where the entry's bytes lie; nothing, with a finding, if that cannot be so.
std::optional<DataRange> SafetensorsHeader::takeRange() {
    const auto& values = offsets_.values;
    if (values.size() != 2) {
        Finding& finding =
            fault("offsets-invalid", fmt::format("has {} data offsets", values.size()));
        finding.expected = "2";
        finding.found = std::to_string(values.size());
        return std::nullopt;
    }
    if (!offsets_.tooLarge.empty()) {
        Finding& finding = fault("offsets-past-end", "has data offsets beyond all memory");
        finding.expected = fmt::format("<= {}", dataBytes());
        finding.found = offsets_.tooLarge;
        return std::nullopt;
    }
    if (values[0] > values[1]) {
        Finding& finding = fault("offsets-reversed", "ends before it begins");
        finding.expected = fmt::format("[{}, {}]", values[1], values[0]);
        finding.found = shown(values);
        return std::nullopt;
    }
    return DataRange{values[0], values[1], {}};
}

bool SafetensorsHeader::checkShape(const DataRange& range) {
    shape_ = {};
    const auto& dims = dims_.values;
    if (dims.size() > static_cast<std::size_t>(Shape::kMaxRank)) {
        takeLongShape();
    } else {
        for (const std::int64_t dim : dims)
            shape_.push(dim);
    }
    if (dims_.tooLarge.empty() && shape_.count())
        return true;
    const std::string found = dims_.tooLarge.empty() ? shown(dims) : dims_.spelled;
    Finding& finding =
        fault("shape-overflow", fmt::format("has shape {}, more elements than any "
                                            "file holds; its data offsets span {} B",
                                            found, formatCount(range.end - range.begin)));
    finding.expected = fmt::format("{} B, every dimension < 2^63", range.end - range.begin);
    finding.found = found;
    return false;
}

// Shapes are kept with eight dimensions, which no model exceeds; the format has no limit.
void SafetensorsHeader::takeLongShape() {
    const auto& dims = dims_.values;
    std::int64_t rest = 1;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        if (axis + 1 < static_cast<std::size_t>(Shape::kMaxRank))
            shape_.push(dims[axis]);
        else
            rest = checkedMultiply(rest, dims[axis]).value_or(-1);
    }
    shape_.push(rest);
    Finding& finding = findings_.warning(
        "shape-rank", shard_.fileName,
        fmt::format("tensor {} of {} has {} dimensions; the last ones are taken as one",
                    printable(name_), shard_.fileName, dims.size()));
    finding.tensor = printable(name_);
    finding.expected = fmt::format("<= {}", Shape::kMaxRank);
    finding.found = std::to_string(dims.size());
}

bool SafetensorsHeader::checkSize(const DataRange& range) {
    const std::int64_t stored = range.end - range.begin;
    const std::int64_t count = shape_.count().value_or(0);
    const auto bytes = rowBytes(*entry_.dtype, count);
    if (bytes && *bytes == stored)
        return true;
    const std::string_view type = name(*entry_.dtype);
    if (!bytes && count % blockLayout(*entry_.dtype).values != 0) {
        Finding& finding =
            fault("tensor-size",
                  fmt::format("is {} {}, which is no whole number of bytes", type, shape_.text()));
        finding.expected = "whole bytes";
        const BlockLayout layout = blockLayout(*entry_.dtype);
        finding.found = fmt::format("{} {}-bit values", count, 8 * layout.bytes / layout.values);
        return false;
    }
    if (range.end > dataBytes()) {
        Finding& finding = fault("offsets-past-end",
                                 fmt::format("ends at byte {} of {} B of data",
                                             formatCount(range.end), formatCount(dataBytes())));
        finding.expected = fmt::format("<= {}", dataBytes());
        finding.found = std::to_string(range.end);
        return false;
    }
    Finding& finding =
        fault("tensor-size",
              fmt::format("is {} {}, {} B, but its data offsets span {} B", type, shape_.text(),
                          bytes ? formatCount(*bytes) : "too many", formatCount(stored)));
    finding.expected = std::to_string(stored);
    finding.found = bytes ? std::to_string(*bytes) : shape_.text();
    return false;
}

std::string SafetensorsHeader::passOver(Token token) {
    std::string kind = kindOf(scanner_, token);
    int levels = 0;
    if (scanner_.skip(token, &levels) && levels > 1)
        kind = fmt::format("{} nested {}s", levels, kind);
    return kind;
}

void SafetensorsHeader::wrongKind(std::string_view expected, std::string_view found) {
    Finding& finding =
        fault("tensor-field-type", fmt::format("has {} where {} belongs", found, expected));
    finding.expected = expected;
    finding.found = found;
}

void SafetensorsHeader::wrongMetadata(std::string_view found) {
    Finding& finding = findings_.error("metadata-type", shard_.fileName,
                                       fmt::format("{} of {} has {} where texts by name belong",
                                                   kMetadata, shard_.fileName, found));
    finding.tensor = kMetadata;
    finding.expected = "object of strings";
    finding.found = found;
    finding.remedy = kRefetch;
}

Finding& SafetensorsHeader::fault(std::string_view code, const std::string& what) {
    if (std::exchange(entry_.good, false))
        rejected_.emplace_back(name_);
    const std::string name = printable(name_);
    Finding& finding = findings_.error(
        code, shard_.fileName, fmt::format("tensor {} of {} {}", name, shard_.fileName, what));
    finding.tensor = name;
    finding.remedy = kRefetch;
    return finding;
}

}  // namespace fl::checkpoint
