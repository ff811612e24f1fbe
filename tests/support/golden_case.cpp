// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden_case.h"

#include <cmath>
#include <cstdlib>

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/tensor_reader.h"

namespace fl::test {

GoldenCase readGolden(const std::string& path) {
    GoldenCase golden;
    const auto file = checkpoint::openCheckpoint(path);
    if (!file)
        std::abort();
    for (const checkpoint::TensorInfo& tensor : file->inventory.tensors()) {
        const std::string name(tensor.name);
        if (name == "input_ids" || name == "greedy") {
            const auto values = checkpoint::readIntegers(*file, tensor);
            if (!values)
                std::abort();
            (name == "greedy" ? golden.greedy : golden.ids).assign(values->begin(), values->end());
            continue;
        }
        const auto values = checkpoint::readFloats(*file, tensor);
        if (!values)
            std::abort();
        (name == "greedy_margin" ? golden.margins : golden.rungs[name]) = *values;
    }
    return golden;
}

double rmsError(const std::vector<float>& found, const std::vector<float>& expected) {
    if (found.size() != expected.size())
        return INFINITY;
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        difference += std::pow(static_cast<double>(found[i]) - expected[i], 2);
        size += std::pow(static_cast<double>(expected[i]), 2);
    }
    return std::sqrt(difference / size);
}

runtime::ReplicaStep wholePrompt(const std::vector<std::int32_t>& ids, int pageTokens) {
    runtime::ReplicaStep step;
    step.ids = ids;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(ids.size()); ++i) {
        step.positions.push_back(i);
        step.rowSequences.push_back(0);
        step.logitRows.push_back(i);
    }
    const auto pages = (static_cast<std::int32_t>(ids.size()) + pageTokens - 1) / pageTokens;
    for (std::int32_t page = pages; page > 0; --page)
        step.pageTables.push_back(page);
    step.pageTableStride = pages;
    return step;
}

}  // namespace fl::test
