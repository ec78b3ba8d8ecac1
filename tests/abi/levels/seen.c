/* tests/abi/levels/seen.c: a plugin that can be built for several levels of the contract, from a copied c_api.h.
 *
 * Seen() returns what this plugin sees of its host: level and size of its table, the length of the node's name, which
 * needs level 2, and how many threads its kernel may use, which a field of level 2 limits to 2. With BLIND it uses a slot
 * of level 2 without a check.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "c_api.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT(literal) {literal, sizeof(literal) - 1}

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Seen");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Seen;CPU");

static int32_t create(void* ctx, opsrun_create* args, void** kernel) {
  (void)ctx, (void)args;
  *kernel = NULL;
  return OPSRUN_OK;
}
static void destroy(void* kernel) { (void)kernel; }

/* -1: this plugin or its host does not support it. */
static int64_t length_of_name(opsrun_call* call) {
  opsrun_str name = {NULL, (uint64_t)-1};
#if OPSRUN_USE_LEVEL >= 2
#ifndef BLIND
  if (OPSRUN_HAS(call->host, opsrun_host, node_name))
#endif
    if (call->host->node_name(call, &name) != OPSRUN_OK) return -2;
#endif
  (void)call;
  return (int64_t)name.size;
}

static int32_t compute(void* kernel, opsrun_call* call) {
  const int64_t facts = 4;
  const int64_t seen[] = {call->host->level, call->host->size, length_of_name(call), call->host->num_threads(call)};
  opsrun_tensor* out = NULL;
  (void)kernel;
  const int32_t code = call->host->allocate_output(call, 0, 1, &facts, &out);
  if (code != OPSRUN_OK) return code;
  for (int64_t i = 0; i < facts; ++i) ((int64_t*)out->data)[i] = seen[i];
  return OPSRUN_OK;
}

static const opsrun_str outputs[] = {TEXT("host: int64")};
static const opsrun_op op = {
    .size = sizeof(op), .name = TEXT("Seen"), .outputs = outputs, .n_outputs = COUNT(outputs), .flags = OPSRUN_OP_STATEFUL};
static const opsrun_kernel cpu = {.size = sizeof(cpu), .op = TEXT("Seen"), .device = TEXT("CPU"),
                                  .create = create, .compute = compute, .destroy = destroy,
#if OPSRUN_USE_LEVEL >= 2
                                  .most_threads = 2,
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
