// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/safetensors_header.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "engine/base/checked.h"
#include "engine/base/text.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::string_view kRefetch = "fetch this file again, or convert the model again";

// Types of the format (safetensors, enum Dtype) that this build cannot compute with.
constexpr std::array<std::string_view, 6> kUnsupported = {"F4",  "F6_E2M3",     "F6_E3M2",
                                                          "C64", "F8_E4M3FNUZ", "F8_E5M2FNUZ"};

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

}  // namespace

SafetensorsHeader::SafetensorsHeader(const Shard& shard,
                                     std::int32_t index,
                                     Inventory& inventory,
                                     FindingList& findings)
    : shard_(shard),
      index_(index),
      inventory_(inventory),
      findings_(findings) {}

bool SafetensorsHeader::integer(std::int64_t value) {
    if (!listItem())
        return wrongKind("a number", depth_);
    list_.push_back(value);
    if (value < 0) {
        const bool isShape = field_ == Field::Shape;
        Finding& finding =
            fault(isShape ? "shape-negative" : "offsets-invalid",
                  isShape ? "has a negative dimension" : "begins or ends before the data");
        finding.expected = ">= 0";
        finding.found = std::to_string(value);
        listGood_ = false;
    }
    return true;
}

bool SafetensorsHeader::tooLarge(std::uint64_t value) {
    if (!listItem())
        return wrongKind("a number", depth_);
    Finding& finding = fault(field_ == Field::Shape ? "shape-overflow" : "offsets-invalid",
                             "has a number beyond all memory");
    finding.expected = "< 2^63";
    finding.found = std::to_string(value);
    listGood_ = false;
    return true;
}

bool SafetensorsHeader::number(double value) {
    // Whole numbers of 2^64 and more arrive here too.
    return wrongKind(fmt::format("{}", value), depth_);
}

bool SafetensorsHeader::string(std::string& value) {
    if (depth_ == kEntryDepth && inMetadata_ && !skipping())
        return true;
    if (depth_ != kEntryDepth || field_ != Field::Dtype)
        return wrongKind("a string", depth_);
    takeDtype(value);
    return true;
}

bool SafetensorsHeader::key(std::string& value) {
    if (depth_ == kHeaderDepth) {
        beginEntry(value);
    } else if (depth_ == kEntryDepth && !inMetadata_) {
        field_ = value == "dtype"          ? Field::Dtype
                 : value == "shape"        ? Field::Shape
                 : value == "data_offsets" ? Field::Offsets
                                           : Field::Unknown;
        if (field_ == Field::Unknown) {
            Finding& finding = findings_.warning(
                "tensor-field-unknown", shard_.fileName,
                fmt::format("tensor {} has a field '{}' that the format does not know",
                            printable(name_), printable(value)));
            finding.tensor = printable(name_);
            finding.expected = "dtype, shape, data_offsets";
            finding.found = printable(value);
        }
    }
    return true;
}

bool SafetensorsHeader::duplicateKey(const std::string& value) {
    if (depth_ == kEntryDepth && inMetadata_) {
        wrongMetadata("two keys '" + printable(value) + "'");
    } else if (depth_ == kEntryDepth) {
        Finding& finding = fault("tensor-duplicate", "has two fields '" + printable(value) + "'");
        finding.expected = "one " + printable(value);
        finding.found = "2";
    } else if (depth_ == kHeaderDepth) {
        isDuplicate_ = true;  // key() follows
    }
    return true;
}

bool SafetensorsHeader::startObject() {
    ++depth_;
    return depth_ <= kEntryDepth || wrongKind("an object", depth_ - 1);
}

bool SafetensorsHeader::endObject() {
    const bool ended = !skipping() && depth_ == kEntryDepth && !inMetadata_;
    if (depth_ == skippedFrom_)
        skippedFrom_ = 0;
    --depth_;
    if (ended)
        finishEntry();
    return true;
}

bool SafetensorsHeader::startArray() {
    ++depth_;
    const bool wanted = field_ == Field::Shape || field_ == Field::Offsets;
    if (skipping() || depth_ != kListDepth || !wanted || inMetadata_)
        return wrongKind("a list", depth_ - 1);
    inList_ = true;
    list_.clear();
    listGood_ = true;
    return true;
}

bool SafetensorsHeader::endArray() {
    if (depth_ == skippedFrom_)
        skippedFrom_ = 0;
    if (depth_-- != kListDepth || !inList_)
        return true;
    inList_ = false;
    if (field_ == Field::Shape)
        takeShape();
    else
        takeOffsets();
    return true;
}

Error SafetensorsHeader::stopReason() const {
    return {ErrorCode::Corrupt, "is not an object"};
}

bool SafetensorsHeader::wrongKind(std::string_view found, int depth) {
    if (skipping())
        return true;
    if (depth_ > depth)
        skippedFrom_ = depth_;
    if (depth < kHeaderDepth)
        return false;
    if (inMetadata_) {
        wrongMetadata(found);
        return true;
    }
    if (depth == kEntryDepth && field_ == Field::Unknown)
        return true;
    constexpr std::array<std::string_view, 3> kExpected = {"a string", "a list", "a list"};
    const std::string_view expected = depth == kHeaderDepth ? "an object"
                                      : depth == kListDepth
                                          ? "integer"
                                          : kExpected[static_cast<std::size_t>(field_)];
    Finding& finding =
        fault("tensor-field-type", fmt::format("has {} where {} belongs", found,
                                               depth == kListDepth ? "a whole number" : expected));
    finding.expected = expected;
    finding.found = found;
    listGood_ = false;
    complete_ = complete_ && depth != kHeaderDepth;
    return true;
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
        rejected_.push_back(name_);
    Finding& finding =
        findings_.error(code, shard_.fileName,
                        fmt::format("tensor {} of {} {}", printable(name_), shard_.fileName, what));
    finding.tensor = printable(name_);
    finding.remedy = kRefetch;
    return finding;
}

void SafetensorsHeader::beginEntry(const std::string& name) {
    name_ = name;
    entry_ = {};
    field_ = Field::Unknown;
    inMetadata_ = name == kMetadata;
    if (std::exchange(isDuplicate_, false)) {
        entry_.isDuplicate = true;
        Finding& finding = fault("tensor-duplicate", "appears twice in the header");
        finding.expected = "one entry";
        finding.found = "2";
    }
    if (inMetadata_)
        return;
    if (const std::string problem = tensorNameFault(name); !problem.empty()) {
        Finding& finding = fault("tensor-name", "has a bad name: it " + problem);
        finding.expected = "a tensor name";
        finding.found = printable(name);
    }
}

void SafetensorsHeader::takeDtype(const std::string& value) {
    entry_.hasDtype = true;
    entry_.dtype = plainDtype(value);
    if (entry_.dtype)
        return;
    const bool known =
        std::find(kUnsupported.begin(), kUnsupported.end(), value) != kUnsupported.end();
    Finding& finding =
        fault(known ? "dtype-unsupported" : "dtype-unknown",
              fmt::format("has dtype {}, which {}{}", printable(value),
                          known ? "this version cannot compute with" : "the format does not know",
                          known ? "" : nearest(value, plainNames())));
    finding.expected = "a known dtype";
    finding.found = printable(value);
    if (known)
        finding.remedy = "use a checkpoint in another format of the same model";
}

void SafetensorsHeader::takeShape() {
    entry_.hasShape = true;
    if (list_.size() > static_cast<std::size_t>(Shape::kMaxRank)) {
        Finding& finding = fault("shape-rank", fmt::format("has {} dimensions", list_.size()));
        finding.expected = fmt::format("<= {}", Shape::kMaxRank);
        finding.found = std::to_string(list_.size());
        return;
    }
    for (const std::int64_t dim : list_)
        entry_.shape.push(dim);
    if (listGood_ && !entry_.shape.count()) {
        Finding& finding = fault("shape-overflow", fmt::format("has shape {}, more elements than "
                                                               "any file holds",
                                                               entry_.shape.text()));
        finding.found = entry_.shape.text();
    }
}

void SafetensorsHeader::takeOffsets() {
    entry_.hasOffsets = true;
    if (!listGood_)
        return;
    if (list_.size() != 2) {
        Finding& finding =
            fault("offsets-invalid", fmt::format("has {} data offsets", list_.size()));
        finding.expected = "2";
        finding.found = std::to_string(list_.size());
    } else if (list_[0] > list_[1]) {
        Finding& finding = fault("offsets-reversed", "ends before it begins");
        finding.expected = "begin <= end";
        finding.found = fmt::format("[{}, {}]", list_[0], list_[1]);
    } else {
        entry_.range = DataRange{list_[0], list_[1], {}};
    }
}

bool SafetensorsHeader::fieldsPresent() {
    const auto missing = [this](std::string_view field) {
        Finding& finding = fault("tensor-field-missing", fmt::format("has no {}", field));
        finding.expected = field;
        finding.found = "absent";
    };
    if (!entry_.hasDtype && entry_.good)
        missing("dtype");
    if (!entry_.hasShape && entry_.good)
        missing("shape");
    if (!entry_.hasOffsets && entry_.good)
        missing("data_offsets");
    return entry_.good;
}

bool SafetensorsHeader::sizeAgrees() {
    const std::int64_t stored = entry_.range->end - entry_.range->begin;
    const auto count = entry_.shape.count();
    const auto bytes = count ? rowBytes(*entry_.dtype, *count) : std::nullopt;
    if (bytes && *bytes == stored)
        return true;
    Finding& finding = fault(
        "tensor-size", fmt::format("is {} {}, {} B, but its data offsets span {} B",
                                   name(*entry_.dtype), entry_.shape.text(),
                                   bytes ? formatCount(*bytes) : "too many", formatCount(stored)));
    finding.expected = std::to_string(stored);
    finding.found = bytes ? std::to_string(*bytes) : entry_.shape.text();
    return false;
}

void SafetensorsHeader::finishEntry() {
    const bool good = fieldsPresent() && sizeAgrees();
    if (!entry_.range || entry_.isDuplicate) {
        complete_ = false;
        return;
    }
    DataRange range = *entry_.range;
    if (good && checkedAdd(shard_.dataOffset, range.end)) {
        range.name = inventory_.add({name_, *entry_.dtype, entry_.shape, index_,
                                     shard_.dataOffset + range.begin, range.end - range.begin});
    }
    ranges_.push_back(range);
}

}  // namespace fl::checkpoint
