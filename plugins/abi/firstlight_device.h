/* SPDX-License-Identifier: Apache-2.0 */
/* The device interface: everything the engine asks of a kind of card, in C11.
 *
 * A plugin is one shared library (or an object linked in) with one exported symbol,
 * fl_plugin_entry. Every struct begins with its size as the writer knew it; fields are only ever
 * appended, and a reader uses a field only where `size` covers it. A null function pointer means
 * "not offered". Functions may be called from any thread, but calls on one stream or one group come
 * from one thread at a time. Nothing throws; a failure returns a status, and last_error() has one
 * sentence about it that names sizes and devices.
 */
#ifndef FIRSTLIGHT_PLUGINS_ABI_FIRSTLIGHT_DEVICE_H
#define FIRSTLIGHT_PLUGINS_ABI_FIRSTLIGHT_DEVICE_H

#include "kernels/api/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_ABI_VERSION 1u

typedef enum fl_status {
    FL_OK = 0,
    FL_CANCELLED = 1,
    FL_DEVICE_LOST = 2,
    FL_INTERNAL = 3,
    FL_INVALID_ARGUMENT = 4,
    FL_IO = 5,
    FL_NOT_FOUND = 6,
    FL_OUT_OF_MEMORY = 7,
    FL_TIMEOUT = 8,
    FL_UNSUPPORTED = 9
} fl_status;

typedef struct fl_backend fl_backend; /* one opened plugin with its options */
typedef struct fl_device fl_device;   /* one card, opened by one rank */
typedef struct fl_stream fl_stream;   /* launches on one stream run in order */
typedef struct fl_kernel fl_kernel;   /* owned by the backend, valid while the device is open */
typedef struct fl_group fl_group;     /* ranks that talk to each other */

/* Buffers are accounted by what they hold; the ledger uses the same words. */
typedef enum fl_memory_category {
    FL_MEMORY_WEIGHTS = 0,
    FL_MEMORY_SCALES = 1,
    FL_MEMORY_KV = 2,
    FL_MEMORY_STATE = 3,
    FL_MEMORY_ACTIVATIONS = 4,
    FL_MEMORY_COMMUNICATION = 5,
    FL_MEMORY_CONTEXT = 6,
    FL_MEMORY_STAGING = 7,
    FL_MEMORY_CATEGORIES = 8
} fl_memory_category;

typedef struct fl_device_info {
    size_t size;
    char name[64];        /* "CPU card 3" */
    char kind[32];        /* "cpu", "cuda" */
    char pci_address[16]; /* "0000:3b:00.0", or empty */
    int32_t index;
    int32_t numa_node;    /* -1: unknown */
    int64_t memory_bytes; /* what the card has */
    int64_t budget_bytes; /* what allocations may reach */
    int32_t compute_threads;
} fl_device_info;

typedef struct fl_device_api {
    size_t size;
    int32_t (*count)(fl_backend* backend);
    fl_status (*info)(fl_backend* backend, int32_t index, fl_device_info* out);
    fl_status (*open)(fl_backend* backend, int32_t index, fl_device** out);
    void (*close)(fl_device* device);
    fl_status (*stream_create)(fl_device* device, fl_stream** out);
    void (*stream_destroy)(fl_stream* stream);
    fl_status (*stream_synchronize)(fl_stream* stream);
} fl_device_api;

typedef struct fl_memory_usage {
    size_t size;
    int64_t budget_bytes;
    int64_t used_bytes;
    int64_t peak_bytes;
    int64_t by_category[FL_MEMORY_CATEGORIES];
} fl_memory_usage;

typedef struct fl_memory_api {
    size_t size;
    /* FL_OUT_OF_MEMORY once the budget would be passed; last_error names asked, used and budget.
     * Aligned to at least 64 bytes. Fresh memory reads as zero. */
    fl_status (*alloc)(fl_device* device, int64_t bytes, int32_t category, void** out);
    void (*free)(fl_device* device, void* memory);
    fl_status (*copy_in)(fl_stream* stream, void* device_to, const void* host_from, int64_t bytes);
    fl_status (*copy_out)(fl_stream* stream, void* host_to, const void* device_from, int64_t bytes);
    fl_status (*copy)(fl_stream* stream, void* device_to, const void* device_from, int64_t bytes);
    fl_status (*usage)(fl_device* device, fl_memory_usage* out);
    /* Non-zero where device addresses can be read and written by the host directly. */
    int32_t host_visible;
} fl_memory_api;

/* What a kernel is asked for. Types that an operator does not have stay 0. */
typedef struct fl_signature {
    size_t size;
    const char* op; /* "linear": the stem of kernels/api/<op>.h */
    fl_dtype weight;
    fl_dtype state; /* of the paged cache */
    fl_compute compute;
} fl_signature;

typedef struct fl_kernel_api {
    size_t size;
    /* FL_UNSUPPORTED: this device has no such kernel, which is an answer and not a fault. */
    fl_status (*find)(fl_device* device, const fl_signature* signature, fl_kernel** out);
    /* `args` is the struct of kernels/api/<op>.h, read before the call returns. */
    fl_status (*launch)(fl_stream* stream, fl_kernel* kernel, const void* args);
    /* Bytes of scratch that a launch with these args allocates inside the device, for the ledger.
     */
    int64_t (*scratch_bytes)(fl_device* device, const fl_signature* signature, const void* args);
} fl_kernel_api;

typedef enum fl_layout {
    FL_LAYOUT_ROWS = 0 /* as checkpoints store it: rows of the innermost dimension */
} fl_layout;

typedef struct fl_weight_api {
    size_t size;
    fl_layout (*preferred_layout)(fl_device* device, const fl_signature* signature);
} fl_weight_api;

/* Byte transport between the ranks of a group, lent by the engine. A backend with links of its own
 * uses it once, to exchange an identifier; one without them may move all data through it. All
 * functions are collective over the group, block within the engine's budget for the stage, and
 * return FL_TIMEOUT or FL_CANCELLED when that is spent. Host addresses only. */
typedef struct fl_transport {
    size_t size;
    void* context;
    int32_t rank;  /* in the group */
    int32_t ranks; /* of the group */
    fl_status (*all_reduce_f32)(void* context, float* data, int64_t count);
    /* counts[i] bytes from rank i, placed one after the other in `to`. */
    fl_status (*all_gather)(void* context, const void* from, void* to, const int64_t* counts);
    fl_status (*reduce_scatter_f32)(void* context,
                                    const float* from,
                                    float* to,
                                    const int64_t* counts);
    fl_status (*all_to_all)(void* context,
                            const void* from,
                            const int64_t* from_counts,
                            void* to,
                            const int64_t* to_counts);
    fl_status (*send)(void* context, const void* from, int64_t bytes, int32_t to_rank);
    fl_status (*receive)(void* context, void* to, int64_t bytes, int32_t from_rank);
} fl_transport;

/* Collectives on device memory. Counts are elements for the float operations, bytes elsewhere. */
typedef struct fl_collective_api {
    size_t size;
    /* `transport` outlives the group. */
    fl_status (*group_create)(fl_device* device, const fl_transport* transport, fl_group** out);
    void (*group_destroy)(fl_group* group);
    fl_status (*all_reduce)(fl_group* group, fl_stream* stream, float* data, int64_t count);
    fl_status (*all_gather)(
        fl_group* group, fl_stream* stream, const void* from, void* to, const int64_t* counts);
    fl_status (*reduce_scatter)(
        fl_group* group, fl_stream* stream, const float* from, float* to, const int64_t* counts);
    fl_status (*all_to_all)(fl_group* group,
                            fl_stream* stream,
                            const void* from,
                            const int64_t* from_counts,
                            void* to,
                            const int64_t* to_counts);
    fl_status (*send)(
        fl_group* group, fl_stream* stream, const void* from, int64_t bytes, int32_t to_rank);
    fl_status (*receive)(
        fl_group* group, fl_stream* stream, void* to, int64_t bytes, int32_t from_rank);
} fl_collective_api;

/* Negative: not measured. */
typedef struct fl_device_sample {
    size_t size;
    double utilisation; /* 0 … 1 */
    double temperature_celsius;
    double power_watts;
    int64_t resident_bytes; /* of the whole card or process */
} fl_device_sample;

typedef struct fl_telemetry_api {
    size_t size;
    fl_status (*sample)(fl_device* device, fl_device_sample* out);
} fl_telemetry_api;

typedef struct fl_plugin {
    size_t size;
    uint32_t abi_version;
    const char* name;    /* "cpu" */
    const char* version; /* of the plugin */
    /* `options` is the text behind the colon of "cpu:cards=8,memory=2GiB", or "". An unknown key or
     * value is FL_INVALID_ARGUMENT and last_error lists the valid ones. */
    fl_status (*open)(const char* options, fl_backend** out);
    void (*close)(fl_backend* backend);
    /* About the last failure on the calling thread; valid until its next call. */
    const char* (*last_error)(void);
    const fl_device_api* device;
    const fl_memory_api* memory;
    const fl_weight_api* weights;
    const fl_kernel_api* kernels;
    const fl_collective_api* collectives;
    const fl_telemetry_api* telemetry;
} fl_plugin;

/* The one exported symbol: the plugin's table, or null if it cannot speak `abi_version`. */
typedef const fl_plugin* (*fl_plugin_entry_fn)(uint32_t abi_version);
#define FL_PLUGIN_ENTRY_NAME "fl_plugin_entry"

#ifdef __cplusplus
}
#endif

#endif
