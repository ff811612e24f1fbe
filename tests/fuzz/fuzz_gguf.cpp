// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .gguf file: tensors that are taken lie within the file and hold as many bytes as
// type and shape need.
#include "engine/checkpoint/gguf.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fl;
    static const fuzz::MemoryFile file;
    file.fill(data, size);
    checkpoint::Shard shard;
    shard.fileName = "input.gguf";
    shard.path = file.path();
    checkpoint::Inventory inventory;
    checkpoint::FindingList list;
    const Json pairs = checkpoint::readGguf(shard, 0, inventory, list);
    inventory.finish();
    const auto findings = list.take();
    for (const Finding& finding : findings)
        fuzz::require(!finding.code.empty() && !finding.message.empty() && finding.count > 0);
    // Keys that are no UTF-8, which is an error, may be written alike.
    if (!hasErrors(findings))
        fuzz::require(pairs.isObject() && Json::parse(pairs.dump()).has_value());
    for (const checkpoint::TensorInfo& tensor : inventory.tensors()) {
        const auto count = tensor.shape.count();
        fuzz::require(count && *count >= 0 && tensor.bytes >= 0);
        if (!hasErrors(findings))
            fuzz::require(tensor.offset >= shard.dataOffset &&
                          tensor.offset + tensor.bytes <= static_cast<std::int64_t>(size));
    }
    return 0;
}
