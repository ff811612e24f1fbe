// SPDX-License-Identifier: Apache-2.0
// Cards, their memory, streams, kernels and groups as owners over the device interface.
//
// A device outlives everything made from it, and the registry outlives the device. Calls on one
// stream or group come from one thread at a time; findKernel() and the create functions from one
// thread at a time per device; allocate(), usage() and sample() from any.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/base/result.h"
#include "plugins/abi/firstlight_device.h"

namespace fl::device {

struct DeviceInfo {
    std::string name;  // "CPU card 3"
    std::string kind;  // plugin: "cpu"
    std::string pciAddress;
    int index = 0;
    int numaNode = -1;
    std::int64_t memoryBytes = 0;
    std::int64_t budgetBytes = 0;
    int computeThreads = 0;
};

// Types that an operator does not have stay as they are.
struct KernelTypes {
    fl_dtype weight = FL_F32;
    fl_dtype state = FL_F32;
    fl_compute compute = FL_COMPUTE_F32;
};

// Valid while its device is open.
class Kernel {
public:
    explicit Kernel(fl_kernel* handle) : handle_(handle) {}
    fl_kernel* handle() const { return handle_; }

private:
    fl_kernel* handle_;
};

// Memory of a card, given back on destruction.
class Buffer {
public:
    Buffer() = default;
    Buffer(const fl_plugin& plugin, fl_device* device, void* data, std::int64_t bytes)
        : plugin_(&plugin),
          device_(device),
          data_(data),
          bytes_(bytes) {}
    ~Buffer();
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    // A device address; the host may use it where Device::hostVisible().
    void* data() const { return data_; }
    std::int64_t bytes() const { return bytes_; }
    explicit operator bool() const { return data_ != nullptr; }

private:
    void swap(Buffer& other) noexcept;

    const fl_plugin* plugin_ = nullptr;
    fl_device* device_ = nullptr;
    void* data_ = nullptr;
    std::int64_t bytes_ = 0;
};

// Copies and launches in order.
class Stream {
public:
    Stream(const fl_plugin& plugin, fl_stream* handle)
        : plugin_(&plugin),
          handle_(handle, Destroy{&plugin}) {}

    Status copyIn(void* deviceTo, const void* hostFrom, std::int64_t bytes);
    Status copyOut(void* hostTo, const void* deviceFrom, std::int64_t bytes);
    Status copy(void* deviceTo, const void* deviceFrom, std::int64_t bytes);
    // `arguments` is the struct of kernels/api/<op>.h with its size filled in; it is read before
    // the call returns.
    Status launch(const Kernel& kernel, const void* arguments);
    Status synchronize();
    fl_stream* handle() const { return handle_.get(); }

private:
    struct Destroy {
        const fl_plugin* plugin;
        void operator()(fl_stream* stream) const { plugin->device->stream_destroy(stream); }
    };
    const fl_plugin* plugin_;
    std::unique_ptr<fl_stream, Destroy> handle_;
};

// The card's collectives over one group of ranks. Every rank of the group calls the same functions
// in the same order. Counts are elements for the float operations, bytes elsewhere.
class CollectiveGroup {
public:
    CollectiveGroup(const fl_plugin& plugin, fl_group* handle)
        : plugin_(&plugin),
          handle_(handle, Destroy{&plugin}) {}

    Status allReduce(Stream& stream, float* data, std::int64_t count);
    Status allGather(Stream& stream, const void* from, void* to, const std::int64_t* counts);
    Status reduceScatter(Stream& stream, const float* from, float* to, const std::int64_t* counts);
    Status allToAll(Stream& stream,
                    const void* from,
                    const std::int64_t* fromCounts,
                    void* to,
                    const std::int64_t* toCounts);
    Status send(Stream& stream, const void* from, std::int64_t bytes, int toRank);
    Status receive(Stream& stream, void* to, std::int64_t bytes, int fromRank);

private:
    struct Destroy {
        const fl_plugin* plugin;
        void operator()(fl_group* group) const { plugin->collectives->group_destroy(group); }
    };
    const fl_plugin* plugin_;
    std::unique_ptr<fl_group, Destroy> handle_;
};

class Device {
public:
    const DeviceInfo& info() const { return info_; }
    // Whether the host may read and write device addresses.
    bool hostVisible() const { return plugin_->memory->host_visible != 0; }

    // Fresh memory reads as zero. OutOfMemory once the budget would be passed; the message names
    // asked, used and budget.
    Result<Buffer> allocate(std::int64_t bytes, fl_memory_category category);
    Result<fl_memory_usage> usage() const;
    Result<fl_device_sample> sample() const;

    Result<Stream> createStream();
    // Unsupported where the card has no such kernel: an answer, remembered like a kernel.
    Result<Kernel> findKernel(std::string_view op, const KernelTypes& types);
    // What one launch with these arguments allocates inside the device.
    std::int64_t scratchBytes(std::string_view op,
                              const KernelTypes& types,
                              const void* arguments) const;
    // Unsupported where the plugin brings no collectives. `transport` outlives the group.
    Result<CollectiveGroup> createGroup(const fl_transport& transport);

private:
    friend class Backend;
    struct CloseBackend {
        const fl_plugin* plugin;
        void operator()(fl_backend* backend) const { plugin->close(backend); }
    };
    struct CloseDevice {
        const fl_plugin* plugin;
        void operator()(fl_device* device) const { plugin->device->close(device); }
    };
    using BackendHandle = std::unique_ptr<fl_backend, CloseBackend>;
    using DeviceHandle = std::unique_ptr<fl_device, CloseDevice>;
    using KernelKey = std::tuple<std::string, fl_dtype, fl_dtype, fl_compute>;

    Device(const fl_plugin& plugin, BackendHandle backend, DeviceHandle device, DeviceInfo info)
        : plugin_(&plugin),
          backend_(std::move(backend)),
          device_(std::move(device)),
          info_(std::move(info)) {}
    Result<Kernel> askForKernel(const std::string& op, const KernelTypes& types);

    const fl_plugin* plugin_;
    BackendHandle backend_;
    DeviceHandle device_;
    DeviceInfo info_;
    std::map<KernelKey, Result<Kernel>> kernels_;
};

// A plugin opened with its options, to look at its cards and open one.
class Backend {
public:
    static Result<Backend> open(const fl_plugin& plugin, const std::string& options);

    int deviceCount() const;
    Result<DeviceInfo> info(int index) const;
    // The device takes the opened plugin with it.
    static Result<Device> openDevice(Backend backend, int index);

private:
    Backend(const fl_plugin& plugin, Device::BackendHandle handle)
        : plugin_(&plugin),
          handle_(std::move(handle)) {}

    const fl_plugin* plugin_;
    Device::BackendHandle handle_;
};

}  // namespace fl::device
