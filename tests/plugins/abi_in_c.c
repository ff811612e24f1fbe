/* SPDX-License-Identifier: Apache-2.0 */
/* The device interface as a C11 compiler sees it. */
#include "kernels/api/add.h"
#include "kernels/api/attention.h"
#include "kernels/api/embedding.h"
#include "kernels/api/gather_rows.h"
#include "kernels/api/linear.h"
#include "kernels/api/moe_experts.h"
#include "kernels/api/rms_norm.h"
#include "kernels/api/rope.h"
#include "kernels/api/router_topk.h"
#include "kernels/api/silu_mul.h"
#include "plugins/abi/firstlight_device.h"

size_t sizes_in_c(size_t* to) {
    const size_t sizes[] = {
        sizeof(fl_device_info),   sizeof(fl_device_api),    sizeof(fl_memory_usage),
        sizeof(fl_memory_api),    sizeof(fl_signature),     sizeof(fl_kernel_api),
        sizeof(fl_weight_api),    sizeof(fl_transport),     sizeof(fl_collective_api),
        sizeof(fl_device_sample), sizeof(fl_telemetry_api), sizeof(fl_plugin),
        sizeof(fl_linear_args),   sizeof(fl_attention_args)};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = 0; i < count; ++i)
        to[i] = sizes[i];
    return count;
}
