// SPDX-License-Identifier: Apache-2.0
// Card memory is anonymous mappings: zero when fresh, and resident only where touched, so that a
// card's pools cost what is used of them.
#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/mman.h>

#include "plugins/cpu/handles.h"
#include "plugins/cpu/last_error.h"
#include "plugins/cpu/text.h"

namespace fl::plugins::cpu {

// Weights are written once and streamed whole: large pages save walks of the page table. Pools
// that fill slowly keep small ones.
constexpr std::int64_t kLargePagesFrom = std::int64_t{4} << 20;

static std::size_t mappedBytes(std::int64_t bytes) {
    return static_cast<std::size_t>(bytes > 0 ? bytes : 1);
}

static fl_status refuse(const fl_device& device, std::int64_t bytes) {
    return fail(FL_OUT_OF_MEMORY, cardName(device) + ": " + formatBytes(bytes) + " asked, " +
                                      formatShare(device.budget.used(), device.budget.limit()) +
                                      " used");
}

static fl_status alloc(fl_device* device, std::int64_t bytes, std::int32_t category, void** out) {
    if (bytes < 0 || category < 0 || category >= FL_MEMORY_CATEGORIES) {
        return fail(FL_INVALID_ARGUMENT, cardName(*device) + ": " + std::to_string(bytes) +
                                             " bytes asked in category " +
                                             std::to_string(category));
    }
    const auto kept = static_cast<fl_memory_category>(category);
    if (!device->budget.reserve(bytes, kept))
        return refuse(*device, bytes);
    void* memory = mmap(nullptr, mappedBytes(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        const std::string reason = std::generic_category().message(errno);
        device->budget.release(bytes, kept);
        return fail(FL_OUT_OF_MEMORY, cardName(*device) + ": the system refused " +
                                          formatBytes(bytes) + ": " + reason);
    }
    if (kept == FL_MEMORY_WEIGHTS && bytes >= kLargePagesFrom)
        madvise(memory, mappedBytes(bytes), MADV_HUGEPAGE);
    const std::lock_guard lock(device->allocationsMutex);
    device->allocations[memory] = {bytes, kept};
    *out = memory;
    return FL_OK;
}

static void unmap(fl_device& device, void* memory, const fl_device::Allocation& allocation) {
    munmap(memory, mappedBytes(allocation.bytes));
    device.budget.release(allocation.bytes, allocation.category);
}

// An address that was never handed out is left alone: there is no status to answer with.
static void release(fl_device* device, void* memory) {
    const std::lock_guard lock(device->allocationsMutex);
    const auto found = device->allocations.find(memory);
    if (found == device->allocations.end())
        return;
    unmap(*device, memory, found->second);
    device->allocations.erase(found);
}

void freeAll(fl_device& device) {
    const std::lock_guard lock(device.allocationsMutex);
    for (const auto& [memory, allocation] : device.allocations)
        unmap(device, memory, allocation);
    device.allocations.clear();
}

static fl_status copy(fl_stream* stream, void* to, const void* from, std::int64_t bytes) {
    if (bytes < 0) {
        return fail(FL_INVALID_ARGUMENT,
                    cardName(stream->device) + ": copy of " + std::to_string(bytes) + " bytes");
    }
    if (bytes > 0)
        std::memmove(to, from, static_cast<std::size_t>(bytes));
    return FL_OK;
}

static fl_status usage(fl_device* device, fl_memory_usage* out) {
    *out = device->budget.usage();
    return FL_OK;
}

const fl_memory_api& memoryApi() {
    static constexpr fl_memory_api kApi = {
        sizeof(fl_memory_api), alloc, release, copy, copy, copy, usage, 1};
    return kApi;
}

}  // namespace fl::plugins::cpu
