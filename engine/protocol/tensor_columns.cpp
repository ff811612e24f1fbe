// SPDX-License-Identifier: Apache-2.0
#include "engine/protocol/tensor_columns.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "engine/base/base64.h"

namespace fl::protocol {

namespace {

class Records {
public:
    explicit Records(std::string_view bytes) : rest_(bytes) {}

    bool number(std::uint64_t& value) {
        value = 0;
        for (int shift = 0; shift < 63 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if ((byte & 0x80U) == 0)
                return true;
        }
        return false;
    }
    // The next name, given the one before.
    bool name(std::string& name) {
        std::uint64_t shared = 0;
        std::uint64_t length = 0;
        if (!number(shared) || !number(length) || shared > name.size() || length > rest_.size())
            return false;
        name.resize(shared);
        name += rest_.substr(0, length);
        rest_.remove_prefix(length);
        return true;
    }
    bool atEnd() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

}  // namespace

TensorPacker::TensorPacker(const std::vector<TensorForm>& forms)
    : forms_(forms),
      places_(forms.size(), -1) {}

void TensorPacker::number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        records_ += static_cast<char>(value | 0x80);
    records_ += static_cast<char>(value);
}

void TensorPacker::add(std::string_view name, std::size_t form, int shard) {
    const auto differs = std::mismatch(name.begin(), name.end(), name_.begin(), name_.end());
    const auto shared = static_cast<std::size_t>(differs.first - name.begin());
    const std::string_view rest = name.substr(shared);
    number(shared);
    number(rest.size());
    records_ += rest;
    if (places_[form] < 0) {
        places_[form] = static_cast<std::int32_t>(page_.forms.size());
        page_.forms.push_back(forms_[form]);
    }
    number(static_cast<std::uint64_t>(places_[form]));
    number(static_cast<std::uint64_t>(shard + 1));
    name_ = name;
    ++page_.count;
}

TensorColumns TensorPacker::take(std::int64_t total, std::int64_t offset) {
    page_.total = total;
    page_.offset = offset;
    page_.records = encodeBase64(std::as_bytes(std::span(records_)));
    records_.clear();
    name_.clear();
    std::fill(places_.begin(), places_.end(), -1);
    return std::exchange(page_, {});
}

Status unpackTensors(const TensorColumns& page, const TensorVisitor& visit) {
    FL_TRY(const std::string bytes, decodeBase64(page.records));
    Records records(bytes);
    std::string name;
    for (std::int64_t i = 0; i < page.count; ++i) {
        std::uint64_t form = 0;
        std::uint64_t shard = 0;
        if (!records.name(name) || !records.number(form) || !records.number(shard) ||
            form >= page.forms.size() || shard > std::numeric_limits<std::int32_t>::max())
            return Error{ErrorCode::Corrupt, "checkpoint.columns: record " + std::to_string(i) +
                                                 " of " + std::to_string(page.count) +
                                                 " cannot be read"};
        visit(name, form, static_cast<int>(shard) - 1);
    }
    if (!records.atEnd())
        return Error{ErrorCode::Corrupt, "checkpoint.columns: more records than its count, " +
                                             std::to_string(page.count)};
    return Done{};
}

}  // namespace fl::protocol
