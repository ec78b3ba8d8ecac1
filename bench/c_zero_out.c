/* bench/c_zero_out.c: ZeroOut in plain C, the baseline for the SDK; with -DEMPTY an empty kernel, the baseline for both,
 * which costs the host's loop, one call, and one check of a code.
 * SPDX-License-Identifier: Apache-2.0 */
#include "opsrun/c_api.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "ZeroOut");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "ZeroOut;CPU");

static int32_t same_shape(void* ctx, opsrun_shape_call* call) {
  (void)ctx;
  return call->host->set_output_shape(call, 0, call->in[0]);
}

static int32_t create(void* ctx, opsrun_create* how, void** kernel) {
  (void)ctx;
  (void)how;
  *kernel = NULL;
  return OPSRUN_OK;
}

static int32_t compute(void* kernel, opsrun_call* call) {
  (void)kernel;
#ifdef EMPTY
  (void)call;
#else
  const opsrun_tensor *in = call->in[0], *out = call->out[0];
  if (in->rank != out->rank) return OPSRUN_INTERNAL;
  int64_t n = 1;
  for (int32_t d = 0; d < in->rank; ++d) {
    if (in->shape[d] != out->shape[d]) return OPSRUN_INTERNAL;
    n *= in->shape[d];
  }
  const int32_t* x = in->data;
  int32_t* y = out->data;
  for (int64_t i = 1; i < n; ++i) y[i] = 0;
  if (n > 0) y[0] = x[0];
#endif
  return OPSRUN_OK;
}

static void destroy(void* kernel) { (void)kernel; }

static const opsrun_str inputs[] = {TEXT("to_zero: int32")};
static const opsrun_str outputs[] = {TEXT("zeroed: int32")};
static const opsrun_op zero_out = {.size = sizeof(opsrun_op),
                                   .name = TEXT("ZeroOut"),
                                   .inputs = inputs,
                                   .n_inputs = 1,
                                   .outputs = outputs,
                                   .n_outputs = 1,
                                   .shape = same_shape};
static const opsrun_kernel zero_out_cpu = {.size = sizeof(opsrun_kernel),
                                           .op = TEXT("ZeroOut"),
                                           .device = TEXT("CPU"),
                                           .create = create,
                                           .compute = compute,
                                           .destroy = destroy};
static const opsrun_op* const ops[] = {&zero_out};
static const opsrun_kernel* const kernels[] = {&zero_out_cpu};
static const opsrun_plugin plugin = {.size = sizeof(opsrun_plugin),
                                     .header_level = OPSRUN_USE_LEVEL,
                                     .min_level = OPSRUN_TARGET_LEVEL,
                                     .ops = ops,
                                     .n_ops = 1,
                                     .kernels = kernels,
                                     .n_kernels = 1};

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  (void)host;
  return &plugin;
}
