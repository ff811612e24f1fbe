// SPDX-License-Identifier: Apache-2.0
// The JSON part of a safetensors header: which tensors it describes, and what is wrong with their
// descriptions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/finding_list.h"

namespace fl::checkpoint {

// The bytes one entry claims, from the beginning of the data. The name is "" for an entry that was
// not taken into the inventory.
struct DataRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::string_view name;
};

// Takes the events of the parser one by one, so that no tree of half a million objects is built.
class SafetensorsHeader : public JsonHandler {
public:
    SafetensorsHeader(const Shard& shard,
                      std::int32_t index,
                      Inventory& inventory,
                      FindingList& findings);

    const std::vector<DataRange>& ranges() const { return ranges_; }
    // Names of entries that were not taken into the inventory.
    const std::vector<std::string>& rejected() const { return rejected_; }
    // Every entry said where its bytes are; so a gap between them is a fault of its own.
    bool complete() const { return complete_; }

    bool null() override { return wrongKind("null", depth_); }
    bool boolean(bool value) override { return wrongKind(value ? "true" : "false", depth_); }
    bool integer(std::int64_t value) override;
    bool tooLarge(std::uint64_t value) override;
    bool number(double value) override;
    bool string(std::string& value) override;
    bool key(std::string& value) override;
    bool duplicateKey(const std::string& value) override;
    bool startObject() override;
    bool endObject() override;
    bool startArray() override;
    bool endArray() override;
    Error stopReason() const override;

private:
    // The header is 1, an entry 2, its shape and offsets 3.
    static constexpr int kHeaderDepth = 1;
    static constexpr int kEntryDepth = 2;
    static constexpr int kListDepth = 3;

    enum class Field : std::uint8_t { Dtype, Shape, Offsets, Unknown };

    struct Entry {
        bool good = true;
        bool isDuplicate = false;
        bool hasDtype = false;
        bool hasShape = false;
        bool hasOffsets = false;
        std::optional<DType> dtype;
        Shape shape;
        std::optional<DataRange> range;
    };

    // A value of a kind that does not belong at this depth; false stops the parse.
    bool wrongKind(std::string_view found, int depth);
    void wrongMetadata(std::string_view found);
    bool listItem() const { return depth_ == kListDepth && inList_; }
    bool skipping() const { return skippedFrom_ != 0; }
    void beginEntry(const std::string& name);
    void finishEntry();
    void takeDtype(const std::string& value);
    void takeShape();
    void takeOffsets();
    bool fieldsPresent();
    bool sizeAgrees();
    // A finding about the entry being read; it will not be taken into the inventory.
    Finding& fault(std::string_view code, const std::string& what);

    const Shard& shard_;
    std::int32_t index_;
    Inventory& inventory_;
    FindingList& findings_;
    std::vector<DataRange> ranges_;
    std::vector<std::string> rejected_;
    bool complete_ = true;

    int depth_ = 0;
    int skippedFrom_ = 0;  // depth of the misplaced list or object being passed over
    bool isDuplicate_ = false;
    std::string name_;
    Entry entry_;
    Field field_ = Field::Unknown;
    bool inMetadata_ = false;
    bool inList_ = false;
    bool listGood_ = true;
    std::vector<std::int64_t> list_;
};

}  // namespace fl::checkpoint
