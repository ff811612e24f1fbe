// SPDX-License-Identifier: Apache-2.0
// Finding and launching kernels. A launch runs on the caller and the card's threads, and is done
// when it returns.
#include <cstring>
#include <new>
#include <string>

#include "plugins/cpu/handles.h"
#include "plugins/cpu/kernel_table.h"
#include "plugins/cpu/last_error.h"

namespace fl::plugins::cpu {

// The table's entries are constant, and the handle is never written through.
static fl_kernel* handle(const KernelEntry* entry) {
    return reinterpret_cast<fl_kernel*>(const_cast<KernelEntry*>(entry));
}

static const KernelEntry& entry(fl_kernel* kernel) {
    return *reinterpret_cast<const KernelEntry*>(kernel);
}

static fl_status find(fl_device* device, const fl_signature* signature, fl_kernel** out) {
    const KernelEntry* found = findKernel(*signature);
    if (found == nullptr) {
        return fail(FL_UNSUPPORTED, cardName(*device) + ": no kernel " + signature->op +
                                        " for weight type " + std::to_string(signature->weight) +
                                        ", state type " + std::to_string(signature->state) +
                                        ", compute " + std::to_string(signature->compute));
    }
    *out = handle(found);
    return FL_OK;
}

static fl_status launch(fl_stream* stream, fl_kernel* kernel, const void* args) {
    fl_device& device = stream->device;
    const KernelEntry& found = entry(kernel);
    std::size_t size = 0;
    std::memcpy(&size, args, sizeof size);
    if (size < found.argsSize) {
        return fail(FL_INVALID_ARGUMENT,
                    cardName(device) + ": " + found.op + " was given " + std::to_string(size) +
                        " bytes of arguments, it needs " + std::to_string(found.argsSize));
    }
    const std::lock_guard lock(device.launchMutex);
    const char* wrong = nullptr;
    try {
        wrong = found.run(args, device.parallel);
    } catch (const std::bad_alloc&) {
        return fail(FL_OUT_OF_MEMORY, cardName(device) + ": no scratch memory for " + found.op);
    }
    const std::int64_t grown = device.parallel.scratchBytes() - device.scratchBytes;
    device.budget.add(grown, FL_MEMORY_CONTEXT);
    device.scratchBytes += grown;
    if (wrong != nullptr)
        return fail(FL_INVALID_ARGUMENT, cardName(device) + ": " + found.op + ": " + wrong);
    return FL_OK;
}

static std::int64_t scratchBytes(fl_device* device,
                                 const fl_signature* signature,
                                 const void* args) {
    const KernelEntry* found = findKernel(*signature);
    if (found == nullptr || found->scratchBytes == nullptr)
        return 0;
    return found->scratchBytes(args, device->parallel.threads());
}

const fl_kernel_api& kernelApi() {
    static constexpr fl_kernel_api kApi = {sizeof(fl_kernel_api), find, launch, scratchBytes};
    return kApi;
}

}  // namespace fl::plugins::cpu
