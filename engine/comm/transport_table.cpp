// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/transport_table.h"

#include "engine/comm/host_collectives.h"

namespace fl::comm {

namespace {

HostCollectives& from(void* context) {
    return *static_cast<HostCollectives*>(context);
}

fl_status allReduce(void* context, float* data, std::int64_t count) {
    return from(context).remember(from(context).allReduce(data, count));
}

fl_status allGather(void* context, const void* part, void* to, const std::int64_t* counts) {
    return from(context).remember(from(context).allGather(part, to, counts));
}

fl_status reduceScatter(void* context, const float* parts, float* to, const std::int64_t* counts) {
    return from(context).remember(from(context).reduceScatter(parts, to, counts));
}

fl_status allToAll(void* context,
                   const void* parts,
                   const std::int64_t* fromCounts,
                   void* to,
                   const std::int64_t* toCounts) {
    return from(context).remember(from(context).allToAll(parts, fromCounts, to, toCounts));
}

fl_status send(void* context, const void* data, std::int64_t bytes, std::int32_t peer) {
    return from(context).remember(from(context).send(data, bytes, peer));
}

fl_status receive(void* context, void* to, std::int64_t bytes, std::int32_t peer) {
    return from(context).remember(from(context).receive(to, bytes, peer));
}

}  // namespace

fl_transport transportTable(HostCollectives& collectives) {
    fl_transport table{};
    table.size = sizeof(table);
    table.context = &collectives;
    table.rank = collectives.rank();
    table.ranks = collectives.ranks();
    table.all_reduce_f32 = allReduce;
    table.all_gather = allGather;
    table.reduce_scatter_f32 = reduceScatter;
    table.all_to_all = allToAll;
    table.send = send;
    table.receive = receive;
    return table;
}

}  // namespace fl::comm
