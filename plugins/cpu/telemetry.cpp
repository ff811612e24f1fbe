// SPDX-License-Identifier: Apache-2.0
// What can be measured about a CPU card: its process. Temperature and power are not read.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>

#include <unistd.h>

#include "plugins/cpu/handles.h"

namespace fl::plugins::cpu {

static double seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// -1 where the system does not tell.
static std::int64_t residentBytes() {
    struct CloseFile {
        void operator()(FILE* file) const { std::fclose(file); }
    };
    const std::unique_ptr<FILE, CloseFile> file(std::fopen("/proc/self/statm", "r"));
    long total = 0;
    long resident = 0;
    if (!file || std::fscanf(file.get(), "%ld %ld", &total, &resident) != 2)
        return -1;
    return std::int64_t{resident} * sysconf(_SC_PAGESIZE);
}

// Share of the card's threads that were busy since the last sample; the first one has none.
static double utilisation(fl_device& device) {
    const std::lock_guard lock(device.sampleMutex);
    const double now = seconds(CLOCK_MONOTONIC);
    const double busy = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const double elapsed = now - device.sampledAt;
    const double used = busy - device.sampledBusy;
    const bool first = device.sampledAt == 0;
    device.sampledAt = now;
    device.sampledBusy = busy;
    if (first || elapsed <= 0)
        return -1;
    return std::clamp(used / elapsed / device.backend.options.threads, 0.0, 1.0);
}

static fl_status sample(fl_device* device, fl_device_sample* out) {
    *out = {};
    out->size = sizeof *out;
    out->utilisation = utilisation(*device);
    out->temperature_celsius = -1;
    out->power_watts = -1;
    out->resident_bytes = residentBytes();
    return FL_OK;
}

const fl_telemetry_api& telemetryApi() {
    static constexpr fl_telemetry_api kApi = {sizeof(fl_telemetry_api), sample};
    return kApi;
}

}  // namespace fl::plugins::cpu
