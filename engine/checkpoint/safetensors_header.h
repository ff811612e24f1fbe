// SPDX-License-Identifier: Apache-2.0
// The JSON part of a safetensors header: which tensors it describes, and what is wrong with their
// descriptions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/json_scanner.h"
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

// Goes through a header token by token; a good entry costs no allocation of its own.
class SafetensorsHeader {
public:
    // `text` is UTF-8 and begins with a brace; `shard` knows its size and where its data begins.
    SafetensorsHeader(std::string_view text,
                      const Shard& shard,
                      std::int32_t index,
                      Inventory& inventory,
                      FindingList& findings);

    // The first reason why the text is no JSON; what stood before it has been taken all the same.
    std::optional<JsonFault> read(const CancelToken& cancel);

    const std::vector<DataRange>& ranges() const { return ranges_; }
    // Names of entries that were not taken into the inventory.
    const std::vector<std::string>& rejected() const { return rejected_; }
    // Of these, the ones that are no tensor names, as messages show them: at most five.
    const std::vector<std::string>& badNames() const { return badNames_; }
    // Every entry said where its bytes are; so a gap between them is a fault of its own.
    bool complete() const { return complete_; }

private:
    using Token = JsonScanner::Token;

    // A list of whole numbers, as shapes and offsets are. Filled anew for every entry.
    struct Numbers {
        bool present = false;
        bool good = true;
        std::vector<std::int64_t> values;
        std::string tooLarge;  // a number beyond 64 bits, as spelled
        std::string spelled;   // all of the list, where it holds one
    };

    struct Entry {
        bool good = true;
        bool hasDtype = false;
        std::optional<DType> dtype;
    };

    void entry();
    void nameEntry();
    void field();
    void metadata();
    void metadataValue();
    void dtype();
    void numbers(Numbers& out, bool isShape);
    void number(Numbers& out, bool isShape);
    void finishEntry();
    bool checkFields();
    bool checkNegative(const Numbers& list, bool isShape);
    std::optional<DataRange> takeRange();
    bool checkShape(const DataRange& range);
    bool checkSize(const DataRange& range);
    void takeLongShape();
    // A value that does not belong there is passed over; says what it was.
    std::string passOver(Token token);
    // A finding about the entry being read; it will not be taken into the inventory.
    Finding& fault(std::string_view code, const std::string& what);
    void wrongKind(std::string_view expected, std::string_view found);
    void wrongMetadata(std::string_view found);
    std::int64_t dataBytes() const { return shard_.fileBytes - shard_.dataOffset; }

    JsonScanner scanner_;
    const Shard& shard_;
    std::int32_t index_;
    Inventory& inventory_;
    FindingList& findings_;
    std::vector<DataRange> ranges_;
    std::vector<std::string> rejected_;
    std::vector<std::string> badNames_;
    bool complete_ = true;

    std::string_view name_;  // of the entry being read
    std::string escapedName_;
    Entry entry_;
    Shape shape_;
    Numbers dims_;
    Numbers offsets_;
};

// "tensor" → "a string", as findings name kinds: string, number, true, null, object, list.
std::string kindOf(const JsonScanner& scanner, JsonScanner::Token token);

}  // namespace fl::checkpoint
