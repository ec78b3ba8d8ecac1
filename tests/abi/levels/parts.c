/* tests/abi/levels/parts.c: a plugin that can be built for several levels of the contract, from a copied c_api.h.
 *
 * PositiveParts(x) returns the sum of x, its positive elements, whose number is known only at run time, and what this
 * plugin sees of its host: level and size of its table, whether it has level 2, and whether output 1 is used. With
 * BLIND it uses a slot of level 2 without a check.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "c_api.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT(literal) {literal, sizeof(literal) - 1}

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "PositiveParts");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "PositiveParts;CPU");

enum { kSum, kPositive, kHost };

static int32_t create(void* ctx, opsrun_create* args, void** kernel) {
  (void)ctx, (void)args;
  *kernel = NULL;
  return OPSRUN_OK;
}
static void destroy(void* kernel) { (void)kernel; }

/* -1: this plugin or its host does not support it. */
static int64_t is_used(opsrun_call* call, uint32_t i) {
#if OPSRUN_USE_LEVEL >= 2
#ifndef BLIND
  if (OPSRUN_HAS(call->host, opsrun_host, output_is_used))
#endif
    return call->host->output_is_used(call, i);
#else
  (void)i;
#endif
  (void)call;
  return -1;
}

static int32_t make_positive(opsrun_call* call, const int32_t* x, int64_t n) {
  opsrun_tensor* out = NULL;
  int64_t count = 0, at = 0;
  for (int64_t i = 0; i < n; ++i) count += x[i] > 0;
  const int32_t code = call->host->allocate_output(call, kPositive, 1, &count, &out);
  if (code != OPSRUN_OK) return code;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] > 0) ((int32_t*)out->data)[at++] = x[i];
  }
  return OPSRUN_OK;
}

static int32_t compute(void* kernel, opsrun_call* call) {
  const opsrun_tensor* in = call->in[0];
  const int64_t one = 1, facts = 4, used = is_used(call, kPositive), n = in->shape[0];
  const int32_t* x = in->data;
  opsrun_tensor *sum = NULL, *host = NULL;
  (void)kernel;
  int32_t code = call->host->allocate_output(call, kSum, 1, &one, &sum);
  if (code == OPSRUN_OK) code = call->host->allocate_output(call, kHost, 1, &facts, &host);
  if (code == OPSRUN_OK && used != 0) code = make_positive(call, x, n);
  if (code != OPSRUN_OK) return code;
  int32_t total = 0;
  for (int64_t i = 0; i < n; ++i) total += x[i];
  *(int32_t*)sum->data = total;
  const int64_t seen[] = {call->host->level, call->host->size, used >= 0, used};
  for (int64_t i = 0; i < facts; ++i) ((int64_t*)host->data)[i] = seen[i];
  return OPSRUN_OK;
}

static const opsrun_str inputs[] = {TEXT("x: int32")};
static const opsrun_str outputs[] = {TEXT("sum: int32"), TEXT("positive: int32"), TEXT("host: int64")};
static const opsrun_op op = {.size = sizeof(op), .name = TEXT("PositiveParts"), .inputs = inputs,
                             .n_inputs = COUNT(inputs), .outputs = outputs, .n_outputs = COUNT(outputs)};
static const opsrun_kernel cpu = {.size = sizeof(cpu), .op = TEXT("PositiveParts"), .device = TEXT("CPU"),
                                  .create = create, .compute = compute, .destroy = destroy,
#if OPSRUN_USE_LEVEL >= 2
                                  .optional_outputs = 1u << kPositive,
#endif
};
static const opsrun_op* const ops[] = {&op};
static const opsrun_kernel* const kernels[] = {&cpu};
static const opsrun_plugin plugin = {.size = sizeof(plugin), .header_level = OPSRUN_USE_LEVEL,
                                     .min_level = OPSRUN_TARGET_LEVEL, .ops = ops, .n_ops = COUNT(ops),
                                     .kernels = kernels, .n_kernels = COUNT(kernels)};

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  (void)host;
  return &plugin;
}
