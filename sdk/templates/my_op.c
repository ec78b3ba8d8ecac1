/* my_op.c: the op MyOp, with its shape function, gradient and kernel, on the C API alone. The comments of
 * opsrun/c_api.h are the reference.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "opsrun/c_api.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT(literal) {literal, sizeof(literal) - 1}

/* The host reads the notes before any code of this file runs. */
OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(name_note, OPSRUN_NOTE_NAME, "my_op;0.1.0");
OPSRUN_C_NOTE(meta_note, OPSRUN_NOTE_META, "license=Apache-2.0\nsummary=Multiplies tensors by a factor");
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "MyOp");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "MyOp;CPU");

/* The output has the input's shape. */
static int32_t my_op_shape(void* ctx, opsrun_shape_call* call) {
  (void)ctx;
  return call->host->set_output_shape(call, 0, call->in[0]);
}

/* Once for each node: the kernel is its factor. */
static int32_t my_op_create(void* ctx, opsrun_create* create, void** kernel) {
  static const opsrun_str infinite = TEXT("factor must be finite"), no_memory = TEXT("out of memory");
  static const opsrun_str blame = TEXT("attr:factor"), nothing = TEXT("");
  const float value = (float)create->attrs[0].v.f;
  (void)ctx;
  if (!isfinite(value)) return create->host->fail(create->host, create, OPSRUN_INVALID_ARGUMENT, infinite, blame);
  float* const factor = malloc(sizeof *factor);
  if (factor == NULL) return create->host->fail(create->host, create, OPSRUN_RESOURCE_EXHAUSTED, no_memory, nothing);
  *factor = value;
  *kernel = factor;
  return OPSRUN_OK;
}

/* In every run, perhaps on several threads at once. */
static int32_t my_op_compute(void* kernel, opsrun_call* call) {
  const float factor = *(const float*)kernel;
  const opsrun_tensor* const in = call->in[0];
  opsrun_tensor* out = call->out[0];
  if (!(out->flags & OPSRUN_TENSOR_PLANNED)) {
    const int32_t code = call->host->allocate_output(call, 0, in->rank, in->shape, &out);
    if (code != OPSRUN_OK) return code;
  }
  const float* const x = in->data;
  float* const y = out->data;
  int64_t n = 1;
  for (int32_t i = 0; i < in->rank; ++i) n *= in->shape[i];
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * factor;
  return OPSRUN_OK;
}

static void my_op_destroy(void* kernel) { free(kernel); }

static const opsrun_str attrs[] = {TEXT("factor: float = 2.0")};
static const opsrun_str inputs[] = {TEXT("x: float")};
static const opsrun_str outputs[] = {TEXT("y: float")};

static const opsrun_op my_op = {
    .size = sizeof(opsrun_op),
    .name = TEXT("MyOp"),
    .doc = TEXT("Multiplies every element by a factor.\n\n"
                "x: A tensor of any shape.\n"
                "y: A tensor of the same shape.\n"
                "factor: What the elements are multiplied by.\n"),
    .attrs = attrs,
    .n_attrs = COUNT(attrs),
    .inputs = inputs,
    .n_inputs = COUNT(inputs),
    .outputs = outputs,
    .n_outputs = COUNT(outputs),
    .shape = my_op_shape,
    .gradient = TEXT("nodes:\n"
                     "  dx: {op: MyOp, in: grad.y, attrs: {factor: {attr: factor}}}\n"
                     "outputs: {x: dx}\n"),
    .batch = TEXT("()->()"),
};

static const opsrun_kernel my_op_cpu = {
    .size = sizeof(opsrun_kernel),
    .op = TEXT("MyOp"),
    .device = TEXT("CPU"),
    .create = my_op_create,
    .compute = my_op_compute,
    .destroy = my_op_destroy,
};

static const opsrun_op* const ops[] = {&my_op};
static const opsrun_kernel* const kernels[] = {&my_op_cpu};

static const opsrun_plugin plugin = {
    .size = sizeof(opsrun_plugin),
    .header_level = OPSRUN_USE_LEVEL,
    .min_level = OPSRUN_TARGET_LEVEL,
    .name = TEXT("my_op"),
    .version = TEXT("0.1.0"),
    .ops = ops,
    .n_ops = COUNT(ops),
    .kernels = kernels,
    .n_kernels = COUNT(kernels),
};

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  (void)host;
  return &plugin;
}
