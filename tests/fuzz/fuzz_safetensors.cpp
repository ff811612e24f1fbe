// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .safetensors file: tensors that are taken lie within what the header says, and
// their bytes are as many as dtype and shape need.
#include "engine/checkpoint/safetensors.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fl;
    static const fuzz::MemoryFile file;
    file.fill(data, size);
    checkpoint::Shard shard;
    shard.fileName = "input.safetensors";
    shard.path = file.path();
    checkpoint::Inventory inventory;
    checkpoint::FindingList list;
    checkpoint::readSafetensors(shard, 0, inventory, list);
    const auto findings = list.take();
    for (const Finding& finding : findings)
        fuzz::require(!finding.code.empty() && !finding.message.empty() && finding.count > 0);
    for (const checkpoint::TensorInfo& tensor : inventory.tensors()) {
        const auto count = tensor.shape.count();
        fuzz::require(count && rowBytes(tensor.dtype, *count) == tensor.bytes);
        fuzz::require(inventory.find(tensor.name) != nullptr);
        if (!hasErrors(findings))
            fuzz::require(tensor.offset >= shard.dataOffset &&
                          tensor.offset + tensor.bytes <= static_cast<std::int64_t>(size));
    }
    return 0;
}
