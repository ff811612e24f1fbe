// SPDX-License-Identifier: Apache-2.0
// A checkpoint as its headers describe it: which tensors, of which type and shape, lie where in
// which file. Nothing here reads weight values.
//
// Formats: safetensors (README, "Format"), the hub's model.safetensors.index.json, GGUF v2/v3
// (ggml docs/gguf.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/dtype.h"
#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/shape.h"
#include "engine/checkpoint/name_arena.h"

namespace fl {
class ThreadPool;
}

namespace fl::checkpoint {

// One weight file.
struct Shard {
    std::string path;
    std::string fileName;  // from the folder of the checkpoint on, for messages and tables
    std::int64_t fileBytes = 0;
    std::int64_t dataOffset = 0;  // where tensor data begins; 0: the header could not be read
    std::int64_t tensorCount = 0;
};

// Trivially copyable; the name lives in the inventory's arena.
struct TensorInfo {
    std::string_view name;
    DType dtype = DType::F32;
    Shape shape;  // outermost first, also for GGUF
    std::int32_t shard = 0;
    std::int64_t offset = 0;  // from the beginning of the file
    std::int64_t bytes = 0;
};

// All tensors sorted by name, in flat arrays: half a million tensors cost two allocations and an
// arena. Movable; the views stay valid.
class Inventory {
public:
    void reserve(std::size_t count);
    // Copies the name into the arena and returns the copy. Before finish().
    std::string_view add(TensorInfo tensor);
    // Takes over what another inventory holds. Cheap where that one is finished: finish() then
    // merges instead of sorting. Before finish().
    void absorb(Inventory&& part);
    // Sorts by name, then shard; returns the names that appear more than once, each once. `pool`
    // may help.
    std::vector<std::string_view> finish(ThreadPool* pool = nullptr);
    // Keeps the first of each name. After finish().
    void dropRepeats();

    std::size_t size() const { return tensors_.size(); }
    const std::vector<TensorInfo>& tensors() const { return tensors_; }
    // Binary search; nullptr if there is none. After finish().
    const TensorInfo* find(std::string_view name) const;

    // Tensors that an index places in files which could not be read: findings about those files
    // name them. Sorted, each once; the names are copied.
    void setLost(const std::vector<std::string_view>& names);
    bool isLost(std::string_view name) const;

private:
    std::vector<TensorInfo> tensors_;
    std::vector<std::string_view> lost_;
    std::vector<std::size_t> runs_;  // where sorted runs end, as far as tensors_ is made of them
    NameArena names_;
};

enum class Format : std::uint8_t { Safetensors, Gguf };

struct Checkpoint {
    std::string path;    // as given, made absolute
    std::string folder;  // where config and tokenizer files would lie
    Format format = Format::Safetensors;
    std::vector<Shard> shards;
    // Weight files that hold the same tensors once more, and are not read.
    std::vector<std::string> otherForms;
    Inventory inventory;
    // config.json and generation_config.json; null where absent. For GGUF `config` is null and
    // `metadata` holds all key-value pairs by their full key, arrays included.
    Json config;
    Json generationConfig;
    Json metadata;
    // Everything wrong or odd with the files, folded. A checkpoint with errors is still returned
    // as far as it could be read, so that inspection can list all of it at once.
    std::vector<Finding> findings;

    std::int64_t fileBytes() const;
    std::int64_t tensorBytes() const;
};

// Opens a hub folder (also of links), one .safetensors or .gguf file, or the first part of a split
// GGUF. Reads headers only. Fails only where there is no checkpoint at all to speak of: nothing
// there, no known file named; every other fault is a finding. Looks at `cancel` between tensors.
Result<Checkpoint> openCheckpoint(const std::string& path, const CancelToken& cancel = {});

}  // namespace fl::checkpoint
