// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/placement_cells.h"

#include <string>

#include "engine/base/base64.h"
#include "ui/models/text.h"

namespace fl::models {

namespace {

// More cells than any window draws: a message that claims them is none of ours.
constexpr std::int64_t kMostCells = std::int64_t{1} << 26;

// A column of little-endian numbers of `width` bytes each.
class Column {
public:
    static Result<Column> read(const std::string& text, std::size_t width, std::int64_t count) {
        FL_TRY(std::string bytes, decodeBase64(text));
        if (bytes.size() != width * std::size_t(count))
            return Error{ErrorCode::Corrupt, "plan.cells: a column is not as long as its count"};
        return Column(std::move(bytes), width);
    }
    std::int64_t operator[](std::int64_t i) const {
        std::uint64_t value = 0;
        for (std::size_t byte = 0; byte < width_; ++byte)
            value |=
                std::uint64_t(static_cast<unsigned char>(bytes_[std::size_t(i) * width_ + byte]))
                << (8 * byte);
        return std::int64_t(value);
    }

private:
    Column(std::string bytes, std::size_t width) : bytes_(std::move(bytes)), width_(width) {}

    std::string bytes_;
    std::size_t width_;
};

}  // namespace

Result<PlacementCells> placementCells(const protocol::PlanCells& columns) {
    PlacementCells out;
    const std::int64_t size = std::int64_t(columns.ranks) * (std::int64_t(columns.layers) + 2);
    if (columns.ranks < 0 || columns.layers < 0 || size > kMostCells || columns.count < 0 ||
        columns.count > size)
        return Error{ErrorCode::Corrupt, "plan.cells: more cells than ranks and layers have"};
    FL_TRY(const Column ranks, Column::read(columns.rank, 2, columns.count));
    FL_TRY(const Column rows, Column::read(columns.row, 2, columns.count));
    FL_TRY(const Column kinds, Column::read(columns.kind, 1, columns.count));
    FL_TRY(const Column dtypes, Column::read(columns.dtype, 1, columns.count));
    FL_TRY(const Column bytes, Column::read(columns.bytes, 8, columns.count));
    out.ranks = columns.ranks;
    out.layers = columns.layers;
    for (const std::string& kind : columns.kinds)
        out.kinds.push_back(qt(kind).replace(QLatin1Char('_'), QLatin1Char(' ')));
    for (const std::string& dtype : columns.dtypes)
        out.dtypes.push_back(qt(dtype));
    out.cells.resize(std::size_t(size));
    for (std::int64_t i = 0; i < columns.count; ++i) {
        if (ranks[i] >= out.ranks || rows[i] >= out.rows() || bytes[i] < 0 ||
            kinds[i] >= std::int64_t(out.kinds.size()) ||
            dtypes[i] >= std::int64_t(out.dtypes.size()))
            return Error{ErrorCode::Corrupt,
                         "plan.cells: cell " + std::to_string(i) + " lies outside the plan"};
        out.cells[std::size_t(rows[i]) * std::size_t(out.ranks) + std::size_t(ranks[i])] = {
            bytes[i], int(kinds[i]), int(dtypes[i])};
    }
    return out;
}

}  // namespace fl::models
