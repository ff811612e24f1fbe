// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu/kernel_table.h"

#include "kernels/ref/add.h"
#include "kernels/ref/attention.h"
#include "kernels/ref/embedding.h"
#include "kernels/ref/gather_rows.h"
#include "kernels/ref/linear.h"
#include "kernels/ref/moe_experts.h"
#include "kernels/ref/rms_norm.h"
#include "kernels/ref/rope.h"
#include "kernels/ref/router_topk.h"
#include "kernels/ref/silu_mul.h"

namespace fl::plugins::cpu {

namespace ref = kernels::ref;

template <class Args, void (*kFunction)(const Args&)>
static const char* run(const void* args, kernels::cpu::Parallel& /*parallel*/) {
    kFunction(*static_cast<const Args*>(args));
    return nullptr;
}

template <class Args, void (*kFunction)(const Args&)>
static constexpr KernelEntry entry(const char* op,
                                   std::uint32_t weights,
                                   std::uint32_t states,
                                   std::uint32_t computes) {
    return {op, weights, states, computes, sizeof(Args), run<Args, kFunction>, nullptr};
}

static constexpr std::uint32_t bit(int type) {
    return std::uint32_t{1} << type;
}

constexpr std::uint32_t kNone = 0;
constexpr std::uint32_t kPlain = bit(FL_F32) | bit(FL_F16) | bit(FL_BF16);
constexpr std::uint32_t kStored =
    kPlain | bit(FL_Q4_0) | bit(FL_Q4_1) | bit(FL_Q8_0) | bit(FL_Q4_K) | bit(FL_Q6_K);
constexpr std::uint32_t kCached = bit(FL_F32) | bit(FL_BF16);
constexpr std::uint32_t kProducts = bit(FL_COMPUTE_F32) | bit(FL_COMPUTE_BF16);

constexpr KernelEntry kKernels[] = {
    entry<fl_add_args, ref::add>("add", kNone, kNone, kNone),
    entry<fl_attention_args, ref::attention>("attention", kNone, kCached, kNone),
    entry<fl_embedding_args, ref::embedding>("embedding", kStored, kNone, kNone),
    entry<fl_gather_rows_args, ref::gatherRows>("gather_rows", kNone, kNone, kNone),
    entry<fl_linear_args, ref::linear>("linear", kStored, kNone, kProducts),
    entry<fl_moe_experts_args, ref::moeExperts>("moe_experts", kStored, kNone, kProducts),
    entry<fl_rms_norm_args, ref::rmsNorm>("rms_norm", kPlain, kNone, kNone),
    entry<fl_rope_args, ref::rope>("rope", kNone, kNone, kNone),
    entry<fl_router_topk_args, ref::routerTopk>("router_topk", kNone, kNone, kNone),
    entry<fl_silu_mul_args, ref::siluMul>("silu_mul", kNone, kNone, kNone),
};

// A type the operator does not have is not asked about.
static bool offers(std::uint32_t set, int type) {
    return set == kNone || (type >= 0 && type < 32 && (set & bit(type)) != 0);
}

const KernelEntry* findKernel(const fl_signature& signature) {
    for (const KernelEntry& kernel : kKernels) {
        if (std::string_view(signature.op) == kernel.op &&
            offers(kernel.weights, signature.weight) && offers(kernel.states, signature.state) &&
            offers(kernel.computes, signature.compute))
            return &kernel;
    }
    return nullptr;
}

}  // namespace fl::plugins::cpu
