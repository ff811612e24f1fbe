// SPDX-License-Identifier: Apache-2.0
// Tensors that a graph asks for, to be written as a checkpoint of exactly that model.
#pragma once

#include <vector>

#include "engine/graph/graph.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::test {

// One tensor per weight and expert (a stacked family is one tensor); vectors in F32, matrices in
// `matrices`.
inline std::vector<TinyTensor> tensorsOf(const graph::Graph& graph, DType matrices) {
    std::vector<TinyTensor> out;
    for (const graph::Weight& weight : graph.weights) {
        const DType dtype = weight.shape.rank() > 1 ? matrices : DType::F32;
        Shape shape = weight.shape;
        if (weight.stacked()) {
            shape = {weight.experts};
            for (const std::int64_t dim : weight.shape.dims())
                shape.push(dim);
        }
        const std::int32_t count = weight.stacked() ? 1 : weight.parts();
        for (std::int32_t part = 0; part < count; ++part)
            out.push_back(patternTensor(weight.expertName(part), dtype, shape));
    }
    return out;
}

}  // namespace fl::test
