// SPDX-License-Identifier: Apache-2.0
#include "engine/device/device.h"

#include <array>
#include <cstring>

#include "engine/device/status.h"

namespace fl::device {

template <std::size_t kSize>
static std::string textOf(const char (&field)[kSize]) {
    return std::string(field, strnlen(field, kSize));
}

static fl_signature signature(const std::string& op, const KernelTypes& types) {
    return {sizeof(fl_signature), op.c_str(), types.weight, types.state, types.compute};
}

Buffer::~Buffer() {
    if (data_ != nullptr)
        plugin_->memory->free(device_, data_);
}

void Buffer::swap(Buffer& other) noexcept {
    std::swap(plugin_, other.plugin_);
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
}

Status Stream::copyIn(void* deviceTo, const void* hostFrom, std::int64_t bytes) {
    return checked(*plugin_, plugin_->memory->copy_in(handle_.get(), deviceTo, hostFrom, bytes),
                   "copy to the device");
}

Status Stream::copyOut(void* hostTo, const void* deviceFrom, std::int64_t bytes) {
    return checked(*plugin_, plugin_->memory->copy_out(handle_.get(), hostTo, deviceFrom, bytes),
                   "copy from the device");
}

Status Stream::copy(void* deviceTo, const void* deviceFrom, std::int64_t bytes) {
    return checked(*plugin_, plugin_->memory->copy(handle_.get(), deviceTo, deviceFrom, bytes),
                   "copy on the device");
}

Status Stream::launch(const Kernel& kernel, const void* arguments) {
    return checked(*plugin_, plugin_->kernels->launch(handle_.get(), kernel.handle(), arguments),
                   "launch");
}

Status Stream::synchronize() {
    return checked(*plugin_, plugin_->device->stream_synchronize(handle_.get()),
                   "waiting for a stream");
}

Status CollectiveGroup::allReduce(Stream& stream, float* data, std::int64_t count) {
    return checked(*plugin_,
                   plugin_->collectives->all_reduce(handle_.get(), stream.handle(), data, count),
                   "all-reduce");
}

Status CollectiveGroup::allGather(Stream& stream,
                                  const void* from,
                                  void* to,
                                  const std::int64_t* counts) {
    return checked(
        *plugin_,
        plugin_->collectives->all_gather(handle_.get(), stream.handle(), from, to, counts),
        "all-gather");
}

Status CollectiveGroup::reduceScatter(Stream& stream,
                                      const float* from,
                                      float* to,
                                      const std::int64_t* counts) {
    return checked(
        *plugin_,
        plugin_->collectives->reduce_scatter(handle_.get(), stream.handle(), from, to, counts),
        "reduce-scatter");
}

Status CollectiveGroup::allToAll(Stream& stream,
                                 const void* from,
                                 const std::int64_t* fromCounts,
                                 void* to,
                                 const std::int64_t* toCounts) {
    return checked(*plugin_,
                   plugin_->collectives->all_to_all(handle_.get(), stream.handle(), from,
                                                    fromCounts, to, toCounts),
                   "all-to-all");
}

Status CollectiveGroup::send(Stream& stream, const void* from, std::int64_t bytes, int toRank) {
    return checked(*plugin_,
                   plugin_->collectives->send(handle_.get(), stream.handle(), from, bytes, toRank),
                   "send");
}

Status CollectiveGroup::receive(Stream& stream, void* to, std::int64_t bytes, int fromRank) {
    return checked(
        *plugin_,
        plugin_->collectives->receive(handle_.get(), stream.handle(), to, bytes, fromRank),
        "receive");
}

Result<Buffer> Device::allocate(std::int64_t bytes, fl_memory_category category) {
    void* data = nullptr;
    FL_DO(checked(*plugin_, plugin_->memory->alloc(device_.get(), bytes, category, &data),
                  "allocation"));
    return Buffer(*plugin_, device_.get(), data, bytes);
}

Result<fl_memory_usage> Device::usage() const {
    fl_memory_usage usage{};
    usage.size = sizeof usage;
    FL_DO(checked(*plugin_, plugin_->memory->usage(device_.get(), &usage), "memory usage"));
    return usage;
}

Result<fl_device_sample> Device::sample() const {
    fl_device_sample sample{sizeof(fl_device_sample), -1, -1, -1, -1};
    if (plugin_->telemetry == nullptr || plugin_->telemetry->sample == nullptr)
        return sample;
    FL_DO(checked(*plugin_, plugin_->telemetry->sample(device_.get(), &sample), "telemetry"));
    return sample;
}

Result<Stream> Device::createStream() {
    fl_stream* stream = nullptr;
    FL_DO(checked(*plugin_, plugin_->device->stream_create(device_.get(), &stream),
                  "creating a stream"));
    return Stream(*plugin_, stream);
}

Result<Kernel> Device::askForKernel(const std::string& op, const KernelTypes& types) {
    const fl_signature asked = signature(op, types);
    fl_kernel* kernel = nullptr;
    FL_DO(checked(*plugin_, plugin_->kernels->find(device_.get(), &asked, &kernel),
                  "finding kernel " + op));
    return Kernel(kernel);
}

Result<Kernel> Device::findKernel(std::string_view op, const KernelTypes& types) {
    KernelKey key(op, types.weight, types.state, types.compute);
    if (const auto found = kernels_.find(key); found != kernels_.end())
        return found->second;
    Result<Kernel> answer = askForKernel(std::get<0>(key), types);
    kernels_.emplace(std::move(key), answer);
    return answer;
}

std::int64_t Device::scratchBytes(std::string_view op,
                                  const KernelTypes& types,
                                  const void* arguments) const {
    if (plugin_->kernels->scratch_bytes == nullptr)
        return 0;
    const std::string name(op);
    const fl_signature asked = signature(name, types);
    return plugin_->kernels->scratch_bytes(device_.get(), &asked, arguments);
}

Result<CollectiveGroup> Device::createGroup(const fl_transport& transport) {
    const fl_collective_api* collectives = plugin_->collectives;
    if (collectives == nullptr || collectives->size < sizeof(fl_collective_api)) {
        return Error{ErrorCode::Unsupported,
                     info_.name + ": plugin " + plugin_->name + " brings no collectives"};
    }
    fl_group* group = nullptr;
    FL_DO(checked(*plugin_, collectives->group_create(device_.get(), &transport, &group),
                  "creating a group"));
    return CollectiveGroup(*plugin_, group);
}

Result<Backend> Backend::open(const fl_plugin& plugin, const std::string& options) {
    fl_backend* backend = nullptr;
    FL_DO(checked(plugin, plugin.open(options.c_str(), &backend), "opening"));
    return Backend(plugin, Device::BackendHandle(backend, Device::CloseBackend{&plugin}));
}

int Backend::deviceCount() const {
    return plugin_->device->count(handle_.get());
}

Result<DeviceInfo> Backend::info(int index) const {
    fl_device_info raw{};
    raw.size = sizeof raw;
    FL_DO(checked(*plugin_, plugin_->device->info(handle_.get(), index, &raw), "device info"));
    return DeviceInfo{textOf(raw.name), textOf(raw.kind),   textOf(raw.pci_address),
                      raw.index,        raw.numa_node,      raw.memory_bytes,
                      raw.budget_bytes, raw.compute_threads};
}

Result<Device> Backend::openDevice(Backend backend, int index) {
    FL_TRY(DeviceInfo info, backend.info(index));
    const fl_plugin& plugin = *backend.plugin_;
    fl_device* device = nullptr;
    FL_DO(checked(plugin, plugin.device->open(backend.handle_.get(), index, &device),
                  "opening device " + std::to_string(index)));
    return Device(plugin, std::move(backend.handle_),
                  Device::DeviceHandle(device, Device::CloseDevice{&plugin}), std::move(info));
}

}  // namespace fl::device
