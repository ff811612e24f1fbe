// SPDX-License-Identifier: Apache-2.0
// Any bytes as model.safetensors.index.json, held against a folder in which every second file is
// lost: no name leads out of the folder, and nothing is listed twice.
#include <algorithm>

#include "engine/checkpoint/index.h"
#include "engine/checkpoint/index_check.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/memory_file.h"

namespace {

using namespace fl;

// The shards of the index; the tensors of every second entry.
checkpoint::Checkpoint folderOf(const checkpoint::ShardIndex& index) {
    checkpoint::Checkpoint out;
    for (std::size_t i = 0; i < index.files.size(); ++i) {
        checkpoint::Shard& shard = out.shards.emplace_back();
        shard.fileName = index.files[i];
        shard.dataOffset = i % 2 == 0 ? 8 : 0;
    }
    for (std::size_t i = 0; i < index.entries.size(); i += 2) {
        checkpoint::TensorInfo tensor;
        tensor.name = index.entries[i].tensor;
        tensor.shard = index.entries[i].file;
        tensor.bytes = 4;
        out.inventory.add(tensor);
    }
    out.inventory.finish();
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::MemoryFile file;
    file.fill(data, size);
    checkpoint::FindingList findings;
    const auto index = checkpoint::readIndex(file.folder(), file.name(), findings);
    if (!index)
        return 0;
    for (const std::string& name : index->files)
        fuzz::require(!name.empty() && name.front() != '/' && !name.starts_with("../") &&
                      name.find("/../") == std::string::npos);
    fuzz::require(std::is_sorted(index->files.begin(), index->files.end()));
    for (std::size_t i = 1; i < index->entries.size(); ++i)
        fuzz::require(index->entries[i - 1].tensor < index->entries[i].tensor);
    const checkpoint::Checkpoint folder = folderOf(*index);
    const std::vector<checkpoint::ShardReading> readings(folder.shards.size());
    checkpoint::checkIndex({*index, folder, readings, {}}, findings);
    findings.take();
    return 0;
}
