/* tests/abi/two_hosts_plugin.c: a plugin that keeps tensors and shares an object, and keeps no host pointer.
 *
 * RunningSum: y = x + the sum of x in earlier calls of the same kernel object, which it keeps as a retained tensor. All
 * kernel objects of one host count their calls in one resource; output 1 is that count.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "c_api.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "RunningSum");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "RunningSum;CPU");

typedef struct {
  const opsrun_tensor* sum;      /* NULL before the first call */
  const opsrun_resource* calls;
} kernel_state;

static int32_t make_counter(void* ctx, void** obj) {
  (void)ctx;
  *obj = calloc(1, sizeof(int64_t));
  return *obj ? OPSRUN_OK : OPSRUN_RESOURCE_EXHAUSTED;
}

static int32_t create(void* ctx, opsrun_create* c, void** kernel) {
  const opsrun_str container = TEXT(""), name = TEXT("calls"), type = TEXT("counter");
  kernel_state* state = calloc(1, sizeof(*state));
  (void)ctx;
  if (!state) return OPSRUN_RESOURCE_EXHAUSTED;
  const int32_t code = c->host->resource(c, container, name, type, make_counter, NULL, free, &state->calls);
  if (code != OPSRUN_OK) {
    free(state);
    return code;
  }
  *kernel = state;
  return OPSRUN_OK;
}

static int32_t compute(void* kernel, opsrun_call* call) {
  kernel_state* state = kernel;
  const opsrun_tensor* x = call->in[0];
  const opsrun_tensor* sum = NULL;
  opsrun_tensor* count = NULL;
  int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT64, 0, NULL, 0, &sum);
  if (code != OPSRUN_OK) return code;
  *(int64_t*)sum->data = *(const int64_t*)x->data + (state->sum ? *(const int64_t*)state->sum->data : 0);
  if (state->sum) state->sum->host->release(state->sum);
  /* Retained through its own host; the retained handle may differ, so the first reference is released. */
  code = sum->host->retain(sum, &state->sum);
  sum->host->release(sum);
  if (code == OPSRUN_OK) code = call->host->set_output(call, 0, state->sum);
  if (code == OPSRUN_OK) code = call->host->allocate_output(call, 1, 0, NULL, &count);
  if (code == OPSRUN_OK) *(int64_t*)count->data = ++*(int64_t*)state->calls->obj;
  return code;
}

static void destroy(void* kernel) {
  kernel_state* state = kernel;
  if (state->sum) state->sum->host->release(state->sum);
  state->calls->host->resource_release(state->calls);
  free(state);
}

static const opsrun_str inputs[] = {TEXT("x: int64")};
static const opsrun_str outputs[] = {TEXT("y: int64"), TEXT("calls: int64")};
static const opsrun_op op = {.size = sizeof(op),
                             .flags = OPSRUN_OP_STATEFUL,
                             .name = TEXT("RunningSum"),
                             .inputs = inputs,
                             .n_inputs = 1,
                             .outputs = outputs,
                             .n_outputs = 2};
static const opsrun_kernel cpu = {.size = sizeof(cpu),
                                  .op = TEXT("RunningSum"),
                                  .device = TEXT("CPU"),
                                  .create = create,
                                  .compute = compute,
                                  .destroy = destroy};
static const opsrun_op* const ops[] = {&op};
static const opsrun_kernel* const kernels[] = {&cpu};
static const opsrun_plugin plugin = {.size = sizeof(plugin),
                                     .header_level = OPSRUN_USE_LEVEL,
                                     .min_level = OPSRUN_TARGET_LEVEL,
                                     .ops = ops,
                                     .kernels = kernels,
                                     .n_ops = 1,
                                     .n_kernels = 1};

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  (void)host;
  return &plugin;
}
