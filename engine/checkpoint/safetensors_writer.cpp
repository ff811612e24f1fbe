// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/safetensors_writer.h"

#include <bit>
#include <set>
#include <string_view>

#include <fmt/core.h>

#include "engine/base/json.h"
#include "engine/base/text.h"

namespace fl::checkpoint {

namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie");

std::string_view bytesOf(const NamedArray& array) {
    return std::visit(
        [](const auto& values) {
            return std::string_view(reinterpret_cast<const char*>(values.data()),
                                    values.size() * sizeof values[0]);
        },
        array.values);
}

std::size_t countOf(const NamedArray& array) {
    return std::visit([](const auto& values) { return values.size(); }, array.values);
}

Json entryOf(const NamedArray& array, std::int64_t begin, std::int64_t end) {
    Json shape = Json::array();
    for (const std::int64_t dim : array.shape.dims())
        shape.push(dim);
    Json offsets = Json::array();
    offsets.push(begin);
    offsets.push(end);
    Json entry = Json::object();
    entry.set("dtype", std::holds_alternative<std::vector<float>>(array.values) ? "F32" : "I64");
    entry.set("shape", std::move(shape));
    entry.set("data_offsets", std::move(offsets));
    return entry;
}

}  // namespace

Result<std::string> safetensorsText(const std::string& name, std::span<const NamedArray> arrays) {
    Json header = Json::object();
    std::set<std::string_view> names;
    std::int64_t begin = 0;
    for (const NamedArray& array : arrays) {
        if (array.shape.count() != static_cast<std::int64_t>(countOf(array))) {
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("{}: array {} has shape {} but {} values", name, array.name,
                                     array.shape.text(), countOf(array))};
        }
        if (!names.insert(array.name).second) {
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("{}: array {} is given twice", name, array.name)};
        }
        const auto end = begin + static_cast<std::int64_t>(bytesOf(array).size());
        header.append(array.name, entryOf(array, begin, end));
        begin = end;
    }
    std::string text = header.dump();
    // So that the data is aligned to the widest type, as the reference writer does.
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size();
    std::string content(reinterpret_cast<const char*>(&length), sizeof length);
    content.reserve(content.size() + text.size() + static_cast<std::size_t>(begin));
    content += text;
    for (const NamedArray& array : arrays)
        content += bytesOf(array);
    return content;
}

Status writeSafetensors(const std::string& path, std::span<const NamedArray> arrays) {
    FL_TRY(const std::string content, safetensorsText(path, arrays));
    return writeFile(path, content);
}

}  // namespace fl::checkpoint
