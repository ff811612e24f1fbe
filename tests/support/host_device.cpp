// SPDX-License-Identifier: Apache-2.0
#include "tests/support/host_device.h"

#include <cstdlib>
#include <cstring>

struct fl_group {
    const fl_transport* transport;
};

namespace fl::test {

namespace {

fl_status alloc(fl_device*, std::int64_t bytes, std::int32_t, void** out) {
    *out = std::calloc(1, static_cast<std::size_t>(bytes));
    return *out != nullptr ? FL_OK : FL_OUT_OF_MEMORY;
}
void release(fl_device*, void* memory) {
    std::free(memory);
}
fl_status move(fl_stream*, void* to, const void* from, std::int64_t bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return FL_OK;
}
fl_status synchronize(fl_stream*) {
    return FL_OK;
}
const char* lastError() {
    return "";
}

fl_status groupCreate(fl_device*, const fl_transport* transport, fl_group** out) {
    *out = new fl_group{transport};
    return FL_OK;
}
void groupDestroy(fl_group* group) {
    delete group;
}
fl_status allReduce(fl_group* group, fl_stream*, float* data, std::int64_t count) {
    return group->transport->all_reduce_f32(group->transport->context, data, count);
}
fl_status allGather(
    fl_group* group, fl_stream*, const void* from, void* to, const std::int64_t* counts) {
    return group->transport->all_gather(group->transport->context, from, to, counts);
}
fl_status reduceScatter(
    fl_group* group, fl_stream*, const float* from, float* to, const std::int64_t* counts) {
    return group->transport->reduce_scatter_f32(group->transport->context, from, to, counts);
}
fl_status allToAll(fl_group* group,
                   fl_stream*,
                   const void* from,
                   const std::int64_t* fromCounts,
                   void* to,
                   const std::int64_t* toCounts) {
    return group->transport->all_to_all(group->transport->context, from, fromCounts, to, toCounts);
}
fl_status send(
    fl_group* group, fl_stream*, const void* from, std::int64_t bytes, std::int32_t peer) {
    return group->transport->send(group->transport->context, from, bytes, peer);
}
fl_status receive(fl_group* group, fl_stream*, void* to, std::int64_t bytes, std::int32_t peer) {
    return group->transport->receive(group->transport->context, to, bytes, peer);
}

const fl_device_api kDevice = {.size = sizeof(fl_device_api),
                               .count = nullptr,
                               .info = nullptr,
                               .open = nullptr,
                               .close = nullptr,
                               .stream_create = nullptr,
                               .stream_destroy = nullptr,
                               .stream_synchronize = synchronize};
const fl_memory_api kMemory = {.size = sizeof(fl_memory_api),
                               .alloc = alloc,
                               .free = release,
                               .copy_in = move,
                               .copy_out = move,
                               .copy = move,
                               .usage = nullptr,
                               .host_visible = 1};
const fl_collective_api kCollectives = {.size = sizeof(fl_collective_api),
                                        .group_create = groupCreate,
                                        .group_destroy = groupDestroy,
                                        .all_reduce = allReduce,
                                        .all_gather = allGather,
                                        .reduce_scatter = reduceScatter,
                                        .all_to_all = allToAll,
                                        .send = send,
                                        .receive = receive};
const fl_plugin kPlugin = {.size = sizeof(fl_plugin),
                           .abi_version = FL_ABI_VERSION,
                           .name = "host",
                           .version = "test",
                           .open = nullptr,
                           .close = nullptr,
                           .last_error = lastError,
                           .device = &kDevice,
                           .memory = &kMemory,
                           .weights = nullptr,
                           .kernels = nullptr,
                           .collectives = &kCollectives,
                           .telemetry = nullptr};

}  // namespace

const fl_plugin& hostPlugin() {
    return kPlugin;
}

comm::DeviceLink hostDevice() {
    return {&kPlugin, nullptr, nullptr};
}

}  // namespace fl::test
