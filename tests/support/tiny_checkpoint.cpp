// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tiny_checkpoint.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>

namespace fl::test {

namespace {

template <class T>
void put(std::string& out, T value) {
    static_assert(std::endian::native == std::endian::little);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void putString(std::string& out, std::string_view text) {
    put(out, std::uint64_t{text.size()});
    out += text;
}

std::uint16_t toBf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// Finite values in the normal range of half precision, rounded half up; enough for tests.
std::uint16_t toF16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
    if (std::fabs(value) < 6.2e-5F)
        return sign;
    const std::uint32_t rounded = (bits & 0x7fffffff) + 0x1000;
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

// A small generator of our own, so that the bytes are the same with every standard library.
struct Pattern {
    std::uint64_t state;
    std::uint32_t next() {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::uint32_t>(state >> 33);
    }
    float value() { return static_cast<float>(next() % 4096) / 4096.0F - 0.5F; }
};

void putValue(std::string& out, DType dtype, float value) {
    switch (dtype) {
        case DType::F32:
            return put(out, value);
        case DType::F64:
            return put(out, double{value});
        case DType::F16:
            return put(out, toF16(value));
        case DType::BF16:
            return put(out, toBf16(value));
        case DType::I64:
            return put(out, static_cast<std::int64_t>(value));
        case DType::I32:
            return put(out, static_cast<std::int32_t>(value));
        default:
            return put(out, static_cast<std::uint8_t>(value));
    }
}

// Random quants under a scale of about 1/64, for every half-precision scale of the block.
std::string quantisedBlock(DType dtype, Pattern& pattern) {
    const BlockLayout layout = blockLayout(dtype);
    std::string block(static_cast<std::size_t>(layout.bytes), '\0');
    for (char& byte : block)
        byte = static_cast<char>(pattern.next());
    const auto setHalf = [&block](std::size_t at, float value) {
        const std::uint16_t half = toF16(value);
        std::memcpy(block.data() + at, &half, sizeof half);
    };
    // ggml-common.h: Q6_K keeps its scale at the end, the others at the beginning; Q4_1 and Q4_K
    // have an offset behind it.
    setHalf(dtype == DType::Q6_K ? block.size() - 2 : 0, 1.0F / 1024);
    if (dtype == DType::Q4_1 || dtype == DType::Q4_K)
        setHalf(2, dtype == DType::Q4_1 ? -1.0F / 128 : 1.0F / 1024);
    return block;
}

GgufPair pairOf(std::string key, std::uint32_t type, std::string value) {
    return {std::move(key), type, std::move(value)};
}

// The numbers of enum ggml_type.
std::uint32_t ggmlType(DType dtype) {
    switch (dtype) {
        case DType::F32:
            return 0;
        case DType::F16:
            return 1;
        case DType::Q4_0:
            return 2;
        case DType::Q4_1:
            return 3;
        case DType::Q8_0:
            return 8;
        case DType::Q4_K:
            return 12;
        case DType::Q6_K:
            return 14;
        case DType::I32:
            return 26;
        case DType::BF16:
            return 30;
        default:
            std::abort();
    }
}

void padTo(std::string& out, std::size_t multiple) {
    out.resize((out.size() + multiple - 1) / multiple * multiple, '\0');
}

}  // namespace

TinyTensor tinyTensor(std::string name,
                      DType dtype,
                      Shape shape,
                      const std::vector<float>& values) {
    TinyTensor tensor{std::move(name), dtype, shape, {}};
    for (const float value : values)
        putValue(tensor.data, dtype, value);
    return tensor;
}

TinyTensor patternTensor(std::string name, DType dtype, Shape shape) {
    TinyTensor tensor{std::move(name), dtype, shape, {}};
    Pattern pattern{1469598103934665603ULL};
    for (const char letter : tensor.name)
        pattern.state = (pattern.state ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
    const std::int64_t blocks = shape.count().value_or(0) / blockLayout(dtype).values;
    for (std::int64_t i = 0; i < blocks; ++i) {
        if (isQuantised(dtype))
            tensor.data += quantisedBlock(dtype, pattern);
        else
            putValue(tensor.data, dtype, pattern.value());
    }
    return tensor;
}

std::string safetensorsFile(std::string_view header, std::string_view data, std::uint64_t claimed) {
    std::string out;
    put(out, claimed);
    out += header;
    out += data;
    return out;
}

std::string safetensorsFile(std::string_view header, std::string_view data) {
    return safetensorsFile(header, data, header.size());
}

std::string safetensorsHeader(const std::vector<TinyTensor>& tensors) {
    std::string header = "{";
    std::size_t begin = 0;
    for (const TinyTensor& tensor : tensors) {
        const std::size_t end = begin + tensor.data.size();
        header += fmt::format("{}\"{}\":{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":[{},{}]}}",
                              header.size() > 1 ? "," : "", tensor.name, name(tensor.dtype),
                              tensor.shape.text(), begin, end);
        begin = end;
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    return header;
}

std::string safetensorsBytes(const std::vector<TinyTensor>& tensors) {
    std::string data;
    for (const TinyTensor& tensor : tensors)
        data += tensor.data;
    return safetensorsFile(safetensorsHeader(tensors), data);
}

GgufPair ggufU16(std::string key, std::uint16_t value) {
    std::string bytes;
    put(bytes, value);
    return pairOf(std::move(key), 2, bytes);
}

GgufPair ggufU32(std::string key, std::uint32_t value) {
    std::string bytes;
    put(bytes, value);
    return pairOf(std::move(key), 4, bytes);
}

GgufPair ggufI32(std::string key, std::int32_t value) {
    std::string bytes;
    put(bytes, value);
    return pairOf(std::move(key), 5, bytes);
}

GgufPair ggufU64(std::string key, std::uint64_t value) {
    std::string bytes;
    put(bytes, value);
    return pairOf(std::move(key), 10, bytes);
}

GgufPair ggufF32(std::string key, float value) {
    std::string bytes;
    put(bytes, value);
    return pairOf(std::move(key), 6, bytes);
}

GgufPair ggufBool(std::string key, bool value) {
    return pairOf(std::move(key), 7, std::string(1, value ? '\1' : '\0'));
}

GgufPair ggufString(std::string key, std::string_view value) {
    std::string bytes;
    putString(bytes, value);
    return pairOf(std::move(key), 8, bytes);
}

namespace {

std::string arrayHead(std::uint32_t type, std::size_t count) {
    std::string bytes;
    put(bytes, type);
    put(bytes, std::uint64_t{count});
    return bytes;
}

}  // namespace

GgufPair ggufStrings(std::string key, const std::vector<std::string>& values) {
    std::string bytes = arrayHead(8, values.size());
    for (const std::string& value : values)
        putString(bytes, value);
    return pairOf(std::move(key), 9, bytes);
}

GgufPair ggufI32s(std::string key, const std::vector<std::int32_t>& values) {
    std::string bytes = arrayHead(5, values.size());
    for (const std::int32_t value : values)
        put(bytes, value);
    return pairOf(std::move(key), 9, bytes);
}

GgufPair ggufF32s(std::string key, const std::vector<float>& values) {
    std::string bytes = arrayHead(6, values.size());
    for (const float value : values)
        put(bytes, value);
    return pairOf(std::move(key), 9, bytes);
}

std::string ggufBytes(const TinyGguf& file) {
    std::vector<GgufPair> pairs = file.pairs;
    if (file.alignment != 32)
        pairs.push_back(ggufU32("general.alignment", file.alignment));
    std::string out = "GGUF";
    put(out, file.version);
    put(out, std::uint64_t{file.tensors.size()});
    put(out, std::uint64_t{pairs.size()});
    for (const GgufPair& pair : pairs) {
        putString(out, pair.key);
        put(out, pair.type);
        out += pair.value;
    }
    std::string data;
    for (const TinyTensor& tensor : file.tensors) {
        putString(out, tensor.name);
        put(out, static_cast<std::uint32_t>(tensor.shape.rank()));
        for (int axis = tensor.shape.rank() - 1; axis >= 0; --axis)
            put(out, static_cast<std::uint64_t>(tensor.shape[axis]));
        put(out, ggmlType(tensor.dtype));
        put(out, std::uint64_t{data.size()});
        data += tensor.data;
        padTo(data, file.alignment);
    }
    padTo(out, file.alignment);
    return out + data;
}

std::string writeTo(const std::string& folder, std::string_view name, std::string_view content) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file)
        std::abort();
    return path.string();
}

void writeHubFolder(const std::string& folder,
                    const std::vector<TinyTensor>& tensors,
                    int shards,
                    std::string_view config) {
    writeTo(folder, "config.json", config);
    if (shards <= 1) {
        writeTo(folder, "model.safetensors", safetensorsBytes(tensors));
        return;
    }
    std::string map;
    std::size_t total = 0;
    for (int shard = 0; shard < shards; ++shard) {
        const std::string file = fmt::format("model-{:05}-of-{:05}.safetensors", shard + 1, shards);
        const std::size_t count = tensors.size();
        const auto part = static_cast<std::size_t>(shard);
        const auto parts = static_cast<std::size_t>(shards);
        const std::vector<TinyTensor> own(
            tensors.begin() + static_cast<std::ptrdiff_t>(part * count / parts),
            tensors.begin() + static_cast<std::ptrdiff_t>((part + 1) * count / parts));
        writeTo(folder, file, safetensorsBytes(own));
        for (const TinyTensor& tensor : own) {
            map += fmt::format("{}\n    \"{}\": \"{}\"", map.empty() ? "" : ",", tensor.name, file);
            total += tensor.data.size();
        }
    }
    writeTo(folder, "model.safetensors.index.json",
            fmt::format(
                "{{\n  \"metadata\": {{\"total_size\": {}}},\n  \"weight_map\": {{{}\n  }}\n}}\n",
                total, map));
}

}  // namespace fl::test
