// SPDX-License-Identifier: Apache-2.0
// Writes and reads the pages of `checkpoint.columns`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/protocol/census_messages.h"

namespace fl::protocol {

class TensorPacker {
public:
    // `forms` outlives the packer; the page names those that it uses.
    explicit TensorPacker(const std::vector<TensorForm>& forms);

    // `form` is a place in the list of the constructor. Shard −1: in no file.
    void add(std::string_view name, std::size_t form, int shard);
    TensorColumns take(std::int64_t total, std::int64_t offset);

private:
    void number(std::uint64_t value);

    const std::vector<TensorForm>& forms_;
    std::vector<std::int32_t> places_;  // form of the list → of the page; −1: not used yet
    TensorColumns page_;
    std::string records_;
    std::string name_;  // the one before
};

// Calls `visit` for each tensor of the page, in its order; `form` is a place in page.forms. Corrupt
// where the records do not hold what the page says.
using TensorVisitor = std::function<void(std::string_view name, std::size_t form, int shard)>;
Status unpackTensors(const TensorColumns& page, const TensorVisitor& visit);

}  // namespace fl::protocol
