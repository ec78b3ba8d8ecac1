// tests/bad_plugins/one_op.h: the parts of a plugin in plain C, for the sources here to combine, correctly or not.
//
// Arguments after a part replace its fields: KERNEL("X", .compute = NULL).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"

#define STR(literal) \
  { literal, sizeof(literal) - 1 }

static int32_t Create(void* ctx, opsrun_create* create, void** kernel) {
  (void)ctx, (void)create;
  *kernel = NULL;
  return OPSRUN_OK;
}

static int32_t Compute(void* kernel, opsrun_call* call) {
  (void)kernel, (void)call;
  return OPSRUN_OK;
}

static void Destroy(void* kernel) {
  (void)kernel;
}

static const opsrun_str one_input[] = {STR("x: int32")};
static const opsrun_str one_output[] = {STR("y: int32")};

#define ONE_OP(op_name)                                                                                       \
  .size = sizeof(opsrun_op), .name = STR(op_name), .inputs = one_input, .n_inputs = 1, .outputs = one_output, \
  .n_outputs = 1

#define ONE_KERNEL(op_name)                                                                                      \
  .size = sizeof(opsrun_kernel), .op = STR(op_name), .device = STR("CPU"), .create = Create, .compute = Compute, \
  .destroy = Destroy

#define TABLE_HEAD .size = sizeof(opsrun_plugin), .header_level = OPSRUN_USE_LEVEL, .min_level = OPSRUN_TARGET_LEVEL
#define OPS(array) .ops = array, .n_ops = sizeof(array) / sizeof(array[0])
#define KERNELS(array) .kernels = array, .n_kernels = sizeof(array) / sizeof(array[0])

// Defines the entry, which returns `table`.
#define ENTRY(table)                                               \
  const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) { \
    (void)host;                                                    \
    return table;                                                  \
  }

// A whole plugin with its notes: PLUGIN(WITH_OPS(OP("X")), WITH_KERNELS(KERNEL("X"))).
#define OP(op_name, ...)         \
  &(const opsrun_op) {           \
    ONE_OP(op_name), __VA_ARGS__ \
  }
#define KERNEL(op_name, ...)         \
  &(const opsrun_kernel) {           \
    ONE_KERNEL(op_name), __VA_ARGS__ \
  }
#define WITH_OPS(...)                             \
  .ops = (const opsrun_op* const[]){__VA_ARGS__}, \
  .n_ops = sizeof((const opsrun_op* const[]){__VA_ARGS__}) / sizeof(opsrun_op*)
#define WITH_KERNELS(...)                                 \
  .kernels = (const opsrun_kernel* const[]){__VA_ARGS__}, \
  .n_kernels = sizeof((const opsrun_kernel* const[]){__VA_ARGS__}) / sizeof(opsrun_kernel*)
#define PLUGIN(...)                                             \
  static const opsrun_plugin table = {TABLE_HEAD, __VA_ARGS__}; \
  ENTRY(&table)
