// SPDX-License-Identifier: Apache-2.0
// Collectives of CPU cards: their memory is host memory, so the engine's transport moves it as it
// is.
#include <memory>
#include <string>

#include "plugins/cpu/handles.h"
#include "plugins/cpu/last_error.h"

namespace fl::plugins::cpu {

static fl_status named(fl_status status, const fl_group& group, const char* what) {
    if (status == FL_OK)
        return status;
    return fail(status, std::string(what) + " failed on rank " +
                            std::to_string(group.transport->rank) + " of a group of " +
                            std::to_string(group.transport->ranks));
}

static fl_status groupCreate(fl_device* device, const fl_transport* transport, fl_group** out) {
    if (transport == nullptr || transport->size < sizeof(fl_transport))
        return fail(FL_INVALID_ARGUMENT, cardName(*device) + ": the transport is incomplete");
    *out = std::make_unique<fl_group>(fl_group{transport}).release();
    return FL_OK;
}

static void groupDestroy(fl_group* group) {
    const std::unique_ptr<fl_group> owned(group);
}

static fl_status allReduce(fl_group* group,
                           fl_stream* /*stream*/,
                           float* data,
                           std::int64_t count) {
    const fl_transport& transport = *group->transport;
    return named(transport.all_reduce_f32(transport.context, data, count), *group, "all-reduce");
}

static fl_status allGather(fl_group* group,
                           fl_stream* /*stream*/,
                           const void* from,
                           void* to,
                           const std::int64_t* counts) {
    const fl_transport& transport = *group->transport;
    return named(transport.all_gather(transport.context, from, to, counts), *group, "all-gather");
}

static fl_status reduceScatter(fl_group* group,
                               fl_stream* /*stream*/,
                               const float* from,
                               float* to,
                               const std::int64_t* counts) {
    const fl_transport& transport = *group->transport;
    return named(transport.reduce_scatter_f32(transport.context, from, to, counts), *group,
                 "reduce-scatter");
}

static fl_status allToAll(fl_group* group,
                          fl_stream* /*stream*/,
                          const void* from,
                          const std::int64_t* fromCounts,
                          void* to,
                          const std::int64_t* toCounts) {
    const fl_transport& transport = *group->transport;
    return named(transport.all_to_all(transport.context, from, fromCounts, to, toCounts), *group,
                 "all-to-all");
}

static fl_status send(fl_group* group,
                      fl_stream* /*stream*/,
                      const void* from,
                      std::int64_t bytes,
                      std::int32_t toRank) {
    const fl_transport& transport = *group->transport;
    return named(transport.send(transport.context, from, bytes, toRank), *group, "send");
}

static fl_status receive(
    fl_group* group, fl_stream* /*stream*/, void* to, std::int64_t bytes, std::int32_t fromRank) {
    const fl_transport& transport = *group->transport;
    return named(transport.receive(transport.context, to, bytes, fromRank), *group, "receive");
}

const fl_collective_api& collectiveApi() {
    static constexpr fl_collective_api kApi = {sizeof(fl_collective_api),
                                               groupCreate,
                                               groupDestroy,
                                               allReduce,
                                               allGather,
                                               reduceScatter,
                                               allToAll,
                                               send,
                                               receive};
    return kApi;
}

}  // namespace fl::plugins::cpu
