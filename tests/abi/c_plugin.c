/* tests/abi/c_plugin.c: a whole plugin in plain C, from a copied c_api.h and nothing else.
 *
 *   gcc -std=c11 -shared -fPIC c_plugin.c -o c_plugin.so
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "c_api.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT(literal) {literal, sizeof(literal) - 1}

/* The host reads the notes before any code of this file runs. */
OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(name_note, OPSRUN_NOTE_NAME, "opsrun.tests.c;1.2.3");
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "AddOneC");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "AddOneC;CPU");

static opsrun_str no_text(void) {
  const opsrun_str none = {0, 0};
  return none;
}

/* The output has the input's shape. */
static int32_t add_one_shape(void* ctx, opsrun_shape_call* call) {
  (void)ctx;
  return call->host->set_output_shape(call, 0, call->in[0]);
}

static int32_t add_one_create(void* ctx, opsrun_create* create, void** kernel) {
  static const opsrun_str why = TEXT("AddOneC wants one input");
  (void)ctx;
  *kernel = NULL;
  return create->n_in == 1 ? OPSRUN_OK : create->host->fail(create->host, create, OPSRUN_INTERNAL, why, no_text());
}

static uint64_t count_of(const opsrun_tensor* t) {
  uint64_t n = 1;
  for (int32_t d = 0; d < t->rank; ++d) n *= (uint64_t)t->shape[d];
  return n;
}

static int32_t add_one_compute(void* kernel, opsrun_call* call) {
  const opsrun_tensor* in = call->in[0];
  opsrun_tensor* out = call->out[0];
  (void)kernel;
  if (!(out->flags & OPSRUN_TENSOR_PLANNED)) {
    const int32_t code = call->host->allocate_output(call, 0, in->rank, in->shape, &out);
    if (code != OPSRUN_OK) return code;
  }
  const int32_t* x = in->data;
  int32_t* y = out->data;
  const uint64_t n = count_of(in);
  for (uint64_t i = 0; i < n; ++i) y[i] = (int32_t)((uint32_t)x[i] + 1u);
  return OPSRUN_OK;
}

static void add_one_destroy(void* kernel) { (void)kernel; }

static const opsrun_str inputs[] = {TEXT("x: int32")};
static const opsrun_str outputs[] = {TEXT("y: int32")};

static const opsrun_op add_one = {
    .size = sizeof(opsrun_op),
    .name = TEXT("AddOneC"),
    .doc = TEXT("Adds one to every element; the largest int32 wraps to the smallest."),
    .inputs = inputs,
    .n_inputs = COUNT(inputs),
    .outputs = outputs,
    .n_outputs = COUNT(outputs),
    .shape = add_one_shape,
};

static const opsrun_kernel add_one_cpu = {
    .size = sizeof(opsrun_kernel),
    .op = TEXT("AddOneC"),
    .device = TEXT("CPU"),
    .create = add_one_create,
    .compute = add_one_compute,
    .destroy = add_one_destroy,
};

static const opsrun_op* const ops[] = {&add_one};
static const opsrun_kernel* const kernels[] = {&add_one_cpu};

static const opsrun_plugin plugin = {
    .size = sizeof(opsrun_plugin),
    .header_level = OPSRUN_USE_LEVEL,
    .min_level = OPSRUN_TARGET_LEVEL,
    .name = TEXT("opsrun.tests.c"),
    .version = TEXT("1.2.3"),
    .ops = ops,
    .n_ops = COUNT(ops),
    .kernels = kernels,
    .n_kernels = COUNT(kernels),
};

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  (void)host;
  return &plugin;
}
