// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu/kernel_table.h"

#include "kernels/cpu/add.h"
#include "kernels/cpu/attention.h"
#include "kernels/cpu/embedding.h"
#include "kernels/cpu/gather_rows.h"
#include "kernels/cpu/linear.h"
#include "kernels/cpu/moe_experts.h"
#include "kernels/cpu/rms_norm.h"
#include "kernels/cpu/rope.h"
#include "kernels/cpu/router_topk.h"
#include "kernels/cpu/silu_mul.h"

namespace fl::plugins::cpu {

namespace cpu = kernels::cpu;

template <class Args>
using Function = const char* (*)(const Args& args, cpu::Parallel& parallel);
template <class Args>
using ScratchFunction = std::int64_t (*)(const Args& args, int threads);

template <class Args, Function<Args> kFunction>
static const char* run(const void* args, cpu::Parallel& parallel) {
    return kFunction(*static_cast<const Args*>(args), parallel);
}

template <class Args, ScratchFunction<Args> kScratch>
static std::int64_t scratch(const void* args, int threads) {
    return kScratch(*static_cast<const Args*>(args), threads);
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

template <class Args, Function<Args> kFunction>
static constexpr KernelEntry entry(const char* op, std::uint32_t weights = kNone) {
    return {op, weights, kNone, kNone, sizeof(Args), run<Args, kFunction>, nullptr};
}

// An operator with scratch memory.
template <class Args, Function<Args> kFunction, ScratchFunction<Args> kScratch>
static constexpr KernelEntry entry(const char* op,
                                   std::uint32_t weights,
                                   std::uint32_t states,
                                   std::uint32_t computes) {
    return {
        op, weights, states, computes, sizeof(Args), run<Args, kFunction>, scratch<Args, kScratch>};
}

constexpr KernelEntry kKernels[] = {
    entry<fl_add_args, cpu::add>("add"),
    entry<fl_attention_args, cpu::attention, cpu::attentionScratchBytes>(
        "attention", kNone, kCached, kNone),
    entry<fl_embedding_args, cpu::embedding>("embedding", kStored),
    entry<fl_gather_rows_args, cpu::gatherRows>("gather_rows"),
    entry<fl_linear_args, cpu::linear, cpu::linearScratchBytes>(
        "linear", kStored, kNone, kProducts),
    entry<fl_moe_experts_args, cpu::moeExperts, cpu::moeExpertsScratchBytes>(
        "moe_experts", kStored, kNone, kProducts),
    entry<fl_rms_norm_args, cpu::rmsNorm>("rms_norm", kPlain),
    entry<fl_rope_args, cpu::rope>("rope"),
    entry<fl_router_topk_args, cpu::routerTopk>("router_topk"),
    entry<fl_silu_mul_args, cpu::siluMul>("silu_mul"),
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
