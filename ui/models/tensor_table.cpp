// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tensor_table.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "engine/base/text.h"
#include "engine/protocol/tensor_columns.h"

namespace fl::models {

namespace {

constexpr std::uint64_t kHashSeed = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kHashPrime = 0xFF51AFD7ED558CCDULL;  // MurmurHash3's finaliser

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isNumber(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), isDigit);
}

// A number stands alone: no digit before it or behind it.
bool isWhole(std::string_view text, std::size_t at, std::size_t length) {
    return (at == 0 || !isDigit(text[at - 1])) &&
           (at + length == text.size() || !isDigit(text[at + length]));
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * kHashPrime;
    return hash ^ hash >> 33;
}

// Eight characters at a time: a fold asks for the hash of every tensor of every layer.
std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
    hash = mixed(hash, text.size());
    for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
        std::uint64_t part = 0;
        std::memcpy(&part, text.data(), sizeof part);
        hash = mixed(hash, part);
    }
    std::uint64_t rest = 0;
    if (!text.empty())
        std::memcpy(&rest, text.data(), text.size());
    return mixed(hash, rest);
}

}  // namespace

// The last few are the likely ones, so a search from the end is short.
std::uint32_t TensorTable::formIndex(const protocol::TensorForm& form) {
    const auto found = std::find(known_.rbegin(), known_.rend(), form);
    if (found != known_.rend())
        return std::uint32_t(known_.rend() - found - 1);
    known_.push_back(form);
    return std::uint32_t(known_.size() - 1);
}

Status TensorTable::append(const protocol::TensorColumns& page) {
    std::vector<std::uint32_t> places;
    for (const protocol::TensorForm& form : page.forms)
        places.push_back(formIndex(form));
    std::string disorder;
    const auto take = [&](std::string_view name, std::size_t form, int shard) {
        if (size() > 0 && naturalLess(name, this->name(size() - 1)))
            disorder = name;
        names_ += name;
        begins_.push_back(names_.size());
        forms_.push_back(places[form]);
        shards_.push_back(shard);
    };
    FL_DO(protocol::unpackTensors(page, take));
    if (!disorder.empty())
        return Error{ErrorCode::Corrupt, "the tensors come out of order: " + disorder};
    return Done{};
}

void TensorTable::finish() {
    names_.shrink_to_fit();
    if (std::any_of(names_.begin(), names_.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
        lower_ = names_;
        std::transform(lower_.begin(), lower_.end(), lower_.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    }
    std::vector<bool> expert;
    for (const protocol::TensorForm& form : known_)
        expert.push_back(form.kind.find("expert") != std::string::npos);
    sums_.assign(size() + 1, 0);
    experts_.assign(size() + 1, 0);
    for (std::size_t row = 0; row < size(); ++row) {
        sums_[row + 1] = sums_[row] + bytes(row);
        experts_[row + 1] = experts_[row] + (expert[forms_[row]] ? 1 : 0);
    }
    dtypeEnd_.assign(size(), std::uint32_t(size()));
    for (std::size_t row = size(); row-- > 0;) {
        if (row + 1 < size())
            dtypeEnd_[row] = forms_[row] == forms_[row + 1] || dtype(row) == dtype(row + 1)
                                 ? dtypeEnd_[row + 1]
                                 : std::uint32_t(row + 1);
    }
}

TensorTable TensorTable::subset(const std::vector<std::uint32_t>& rows) const {
    TensorTable part;
    part.known_ = known_;
    for (const std::uint32_t row : rows) {
        part.names_ += name(row);
        part.begins_.push_back(part.names_.size());
        part.forms_.push_back(forms_[row]);
        part.shards_.push_back(shards_[row]);
    }
    part.finish();
    return part;
}

std::size_t TensorTable::lowerBound(std::string_view name) const {
    std::size_t begin = 0;
    std::size_t end = size();
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (naturalLess(this->name(middle), name))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

std::size_t TensorTable::endOfPrefix(std::size_t begin, std::size_t end, std::size_t length) const {
    const std::string_view prefix = name(begin).substr(0, length);
    // Rows with a prefix are one run: halve what lies between the last known one and the end.
    while (end - begin > 1) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (name(middle).starts_with(prefix))
            begin = middle;
        else
            end = middle;
    }
    return begin + 1;
}

std::int64_t TensorTable::bytesOf(std::size_t begin, std::size_t end) const {
    return sums_[end] - sums_[begin];
}

bool TensorTable::hasExperts(std::size_t begin, std::size_t end) const {
    return experts_[end] > experts_[begin];
}

bool TensorTable::isOneDtype(std::size_t begin, std::size_t end) const {
    return dtypeEnd_[begin] >= end;
}

std::pair<int, int> TensorTable::shardsOf(std::size_t begin, std::size_t end) const {
    const auto [least, most] = std::minmax_element(shards_.begin() + std::ptrdiff_t(begin),
                                                   shards_.begin() + std::ptrdiff_t(end));
    return {*least, *most};
}

std::uint64_t TensorTable::signature(std::size_t begin, std::size_t end, std::size_t skip) const {
    std::uint64_t hash = kHashSeed;
    for (std::size_t row = begin; row < end; ++row) {
        const std::string_view text = name(row);
        hash = mixed(hash, text.substr(std::min(skip, text.size())));
        hash = mixed(hash, forms_[row]);
    }
    return hash;
}

bool TensorTable::contains(std::size_t row, std::string_view word) const {
    const std::string_view text =
        std::string_view(lowerNames()).substr(begins_[row], begins_[row + 1] - begins_[row]);
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        if (!isNumber(word) || isWhole(text, at, word.size()))
            return true;
    }
    return false;
}

// The longest word is looked for in all names at once, the others only where it is.
std::vector<std::uint32_t> TensorTable::matching(const std::vector<std::string>& words) const {
    std::vector<std::uint32_t> rows;
    const auto rarest =
        std::max_element(words.begin(), words.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (rarest == words.end())
        return rows;
    const std::string_view all = lowerNames();
    std::size_t row = 0;
    for (std::size_t at = all.find(*rarest); at != std::string_view::npos;
         at = all.find(*rarest, at)) {
        const auto next =
            std::upper_bound(begins_.begin() + std::ptrdiff_t(row), begins_.end(), at);
        row = std::size_t(next - begins_.begin()) - 1;
        if (std::all_of(words.begin(), words.end(),
                        [&](const std::string& word) { return contains(row, word); }))
            rows.push_back(std::uint32_t(row));
        at = begins_[++row];
    }
    return rows;
}

std::vector<std::uint32_t> TensorTable::inState(std::string_view contract) const {
    std::vector<bool> wanted;
    for (const protocol::TensorForm& form : known_)
        wanted.push_back(form.contract == contract);
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < size(); ++row) {
        if (wanted[forms_[row]])
            rows.push_back(std::uint32_t(row));
    }
    return rows;
}

}  // namespace fl::models
