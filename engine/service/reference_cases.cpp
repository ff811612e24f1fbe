// SPDX-License-Identifier: Apache-2.0
#include "engine/service/reference_cases.h"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/checkpoint/tensor_reader.h"
#include "engine/protocol/codec.h"

namespace fl::service {

namespace {

// Order within the model: "embed", "layer.3.attn" before "layer.3.mlp" before "layer.3", the end.
std::pair<int, int> placeOf(const std::string& rung) {
    constexpr int kEnd = 1 << 30;
    if (rung == "embed")
        return {-1, 0};
    if (rung == "final_norm")
        return {kEnd, 0};
    if (rung == "logits")
        return {kEnd, 1};
    const auto parts = split(rung, '.');
    const auto layer = parts.size() >= 2 ? parseInteger(parts[1]) : Result<std::int64_t>(Error{});
    if (parts[0] != "layer" || !layer)
        return {kEnd, 2};
    const int within = parts.size() == 2 ? 2 : (parts[2] == "attn" ? 0 : 1);
    return {static_cast<int>(*layer), within};
}

bool isRung(std::string_view name) {
    return name == "embed" || name == "final_norm" || name == "logits" ||
           name.starts_with("layer.");
}

Result<std::vector<int>> readIds(const checkpoint::Checkpoint& file, std::string_view name) {
    const checkpoint::TensorInfo* tensor = file.inventory.find(name);
    if (tensor == nullptr)
        return std::vector<int>();
    FL_TRY(const auto values, checkpoint::readIntegers(file, *tensor));
    return std::vector<int>(values.begin(), values.end());
}

Result<ReferenceCase> readCase(const std::string& folder,
                               const Json& entry,
                               const CancelToken& cancel) {
    ReferenceCase out;
    out.name = entry["name"].string();
    out.kind = entry["kind"].string();
    if (out.name.empty() || out.name.find('/') != std::string::npos)
        return Error{ErrorCode::Corrupt, folder + "/cases.json: a case has no usable name"};
    out.hasPrompt = entry["prompt"].isString();
    out.prompt = entry["prompt"].string();
    for (const Json& message : entry["messages"].items())
        out.messages.push_back({message["role"].string(), message["content"].string()});
    const std::string path = fmt::format("{}/{}.safetensors", folder, out.name);
    FL_TRY(auto file, checkpoint::openCheckpoint(path, cancel));
    if (hasErrors(file.findings))
        return Error{ErrorCode::Corrupt, path + ": " + file.findings.front().message};
    out.file = std::make_shared<const checkpoint::Checkpoint>(std::move(file));
    FL_TRY(out.inputIds, readIds(*out.file, "input_ids"));
    if (out.inputIds.empty())
        return Error{ErrorCode::Corrupt, path + ": no input_ids"};
    FL_TRY(out.greedy, readIds(*out.file, "greedy"));
    if (const auto* margins = out.file->inventory.find("greedy_margin")) {
        FL_TRY(out.greedyMargin, checkpoint::readFloats(*out.file, *margins));
    }
    for (const checkpoint::TensorInfo& tensor : out.file->inventory.tensors()) {
        if (isRung(tensor.name))
            out.rungs.emplace_back(tensor.name);
    }
    std::sort(out.rungs.begin(), out.rungs.end(),
              [](const std::string& a, const std::string& b) { return placeOf(a) < placeOf(b); });
    return out;
}

}  // namespace

Result<Array> readRows(const checkpoint::Checkpoint& file,
                       std::string_view name,
                       std::int64_t first,
                       std::int64_t count) {
    FL_TRY(const checkpoint::TensorInfo* whole, checkpoint::findTensor(file, name));
    checkpoint::TensorInfo part = *whole;
    const std::int64_t rows = whole->shape.rank() > 0 ? whole->shape[0] : 1;
    Array out;
    out.rows = std::clamp<std::int64_t>(rows - first, 0, count);
    if (out.rows == 0)
        return out;
    part.offset += whole->bytes / rows * first;
    part.bytes = whole->bytes / rows * out.rows;
    FL_TRY(out.values, checkpoint::readFloats(file, part));
    out.width = static_cast<std::int64_t>(out.values.size()) / out.rows;
    return out;
}

Result<Array> readArray(const checkpoint::Checkpoint& file, std::string_view name) {
    return readRows(file, name, 0, std::numeric_limits<std::int64_t>::max());
}

Result<std::vector<ReferenceCase>> readReference(const std::string& folder,
                                                 const std::vector<std::string>& names,
                                                 const CancelToken& cancel) {
    FL_TRY(const Json list, Json::parseFile(folder + "/cases.json"));
    if (!list.isArray())
        return Error{ErrorCode::Corrupt, folder + "/cases.json: not a list of cases"};
    std::vector<std::string> known;
    for (const Json& entry : list.items())
        known.push_back(entry["name"].string());
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            return Error{ErrorCode::NotFound,
                         fmt::format("{} has no case '{}'{}", folder, name, nearest(name, known))};
    }
    std::vector<ReferenceCase> out;
    for (const Json& entry : list.items()) {
        const std::string& name = entry["name"].string();
        if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end())
            continue;
        FL_TRY(auto one, readCase(folder, entry, cancel));
        out.push_back(std::move(one));
    }
    if (out.empty())
        return Error{ErrorCode::NotFound, folder + "/cases.json lists no case"};
    return out;
}

}  // namespace fl::service
