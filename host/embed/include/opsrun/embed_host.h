/* opsrun/embed_host.h: ops for programs that are hosts themselves, such as adapters in other frameworks.
 *
 * The library judges and opens plugins, fills in types and attrs, infers shapes, makes kernel objects and
 * differentiates ops. The program makes the frames of compute (opsrun_call of opsrun/c_api.h) and a table of functions
 * (opsrun_host) of its own, so the tensors, threads and errors of a call are the program's:
 *
 *   opsrun_engine_type_op           an op with the types of its inputs and its attrs
 *   opsrun_typed_op_infer           its shapes, with sizes that are not known yet
 *   opsrun_typed_op_make_kernel     a kernel object, to be called any number of times with any shapes
 *   opsrun_typed_op_differentiate   its gradient, as a list of calls of ops
 *
 * What opsrun/embed.h says about compatibility, results, threads and ownership holds here too. The rules of a call are
 * those of opsrun/c_api.h, of which the program is then the host. docs/other_frameworks.md describes the adapters that
 * use this header.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef OPSRUN_EMBED_HOST_H_
#define OPSRUN_EMBED_HOST_H_

#include <string.h>

#include "opsrun/embed.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct opsrun_typed_op opsrun_typed_op;
typedef struct opsrun_kernel_object opsrun_kernel_object;
typedef struct opsrun_shapes opsrun_shapes;
typedef struct opsrun_gradient opsrun_gradient;

/* [any] The table that this engine gives to plugins, for shapes and the creation of kernel objects; it lives as long as
 * the engine. NULL for NULL. */
OPSRUN_EXPORT const opsrun_host* opsrun_engine_host(const opsrun_engine* engine);

/* [any] A copy of that table, for a program to make its own from: every slot is replaced that may get the program's
 * table, a call or a tensor of the program's, which are all but make_dim and those behind it, resource_retain,
 * resource_release and resource_object. `log` can pass its line on to the engine's `log`, with the engine's table and
 * NULL in place of a call; `query` returns interfaces of the program's own, whose functions get the program's table.
 * The size and the level of the copy are the lower ones of the engine's table and of this header, since the copy holds no
 * slot that this header does not declare. A kernel object may keep a tensor that it allocated when it was created: its
 * host is the engine's table, and set_output gets it like any other. All zero for NULL. */
static inline opsrun_host opsrun_engine_host_copy(const opsrun_engine* engine) {
  opsrun_host copy;
  const opsrun_host* const table = opsrun_engine_host(engine);
  memset(&copy, 0, sizeof(copy));
  if (table == NULL) return copy;
  memcpy(&copy, table, table->size < sizeof(copy) ? table->size : sizeof(copy));
  if (copy.size > sizeof(copy)) copy.size = (uint32_t)sizeof(copy);
  if (copy.level > OPSRUN_USE_LEVEL) copy.level = OPSRUN_USE_LEVEL;
  return copy;
}

/* [any] Fills in the attrs and data types of an op, as opsrun_engine_prepare does. The shapes of the inputs are
 * ignored; rank may be 0 and shape NULL. No kernel is needed, and no code of the plugin runs. End with
 * opsrun_typed_op_destroy. */
OPSRUN_EXPORT int32_t opsrun_engine_type_op(opsrun_engine* engine, opsrun_str op, const opsrun_op_input* inputs,
                                            uint32_t n_inputs, const opsrun_attr* attrs, uint32_t n_attrs,
                                            opsrun_typed_op** typed, opsrun_report** report);
/* [any] The same for an op, attrs and types that are written as a graph file: one node, whose inputs are declared
 * feeds. So a program can store a call, or send it to another process. INVALID_ARGUMENT: also if the file has other
 * parts. */
OPSRUN_EXPORT int32_t opsrun_engine_read_op(opsrun_engine* engine, opsrun_str yaml, opsrun_typed_op** typed,
                                            opsrun_report** report);
/* [any] Such a file for this op. UNIMPLEMENTED: an input is a handle. Free the text with opsrun_text_free. */
OPSRUN_EXPORT int32_t opsrun_typed_op_to_yaml(const opsrun_typed_op* typed, opsrun_text** yaml);
/* [one] Kernel objects and shapes that were made of it remain valid. */
OPSRUN_EXPORT void opsrun_typed_op_destroy(opsrun_typed_op* typed);

#define OPSRUN_GRADIENT_NONE 0u /* the op declares no gradient */
#define OPSRUN_GRADIENT_DECLARED 1u
#define OPSRUN_GRADIENT_NOT_NEEDED 2u /* nothing flows back through the op */

/* G. */
typedef struct opsrun_typed_op_info {
  uint32_t size, flags; /* OPSRUN_OP_* */
  opsrun_str name, plugin;
  const opsrun_attr* attrs; /* in declared order, defaults filled in */
  const opsrun_arg* in_args;
  const opsrun_arg* out_args;
  const int32_t* in_types; /* n_in data types, lists flattened */
  const int32_t* out_types;
  uint32_t n_attrs, n_in_args, n_out_args, n_in, n_out;
  uint32_t has_shape_function; /* 0: the shapes of outputs are known after compute only */
  uint32_t gradient;           /* OPSRUN_GRADIENT_* */
  uint32_t reserved;
  const uint32_t* in_dims; /* for each input, the number of dimensions that the op works on, behind those of a batch
                              (`batch` of opsrun_op in c_api.h; with OPSRUN_OP_BROADCASTS in flags, batches are
                              broadcast); NULL: the op says nothing about batches */
  const uint32_t* out_dims; /* the same for outputs */
} opsrun_typed_op_info;

/* [any] */
OPSRUN_EXPORT const opsrun_typed_op_info* opsrun_typed_op_get(const opsrun_typed_op* typed);

/* [any] Chooses the kernel for a device and a label and makes a kernel object, with the engine's own table as its host.
 * options may be NULL. The object is for all shapes, so the shape function does not run. UNIMPLEMENTED: no kernel for
 * it; INVALID_ARGUMENT: its constructor refuses the attrs; RESOURCE_EXHAUSTED: out of memory. End with
 * opsrun_kernel_object_destroy. */
OPSRUN_EXPORT int32_t opsrun_typed_op_make_kernel(const opsrun_typed_op* typed, const opsrun_prepare_options* options,
                                                  opsrun_kernel_object** kernel, opsrun_report** report);
/* [one] Call it after all calls have returned and their streams have passed. */
OPSRUN_EXPORT void opsrun_kernel_object_destroy(opsrun_kernel_object* kernel);

/* G. A kernel object. A call is `compute(object, &call)`, where call.host is the program's table. */
typedef struct opsrun_kernel_object_info {
  uint32_t size, flags; /* OPSRUN_KERNEL_* */
  int32_t (*compute)(void* object, opsrun_call* call);
  void* object;
  const opsrun_arg* in_args; /* with OPSRUN_ARG_HOST_MEMORY */
  const opsrun_arg* out_args;
  uint32_t n_in_args, n_out_args;
  opsrun_str device; /* where it runs: "cpu", if there is no kernel for the device */
} opsrun_kernel_object_info;

/* [any] */
OPSRUN_EXPORT const opsrun_kernel_object_info* opsrun_kernel_object_get(const opsrun_kernel_object* kernel);

/* [any] What the slots `resource` and `resource_delete` do in a call of this kernel: the objects are those of the
 * engine, which all its kernels share. */
OPSRUN_EXPORT int32_t opsrun_kernel_object_resource(const opsrun_kernel_object* kernel, opsrun_str container,
                                                    opsrun_str name, opsrun_str type,
                                                    int32_t (*make)(void* ctx, void** obj), void* ctx,
                                                    void (*destroy)(void* obj), const opsrun_resource** r);
OPSRUN_EXPORT int32_t opsrun_kernel_object_resource_delete(const opsrun_kernel_object* kernel, opsrun_str container,
                                                           opsrun_str name, opsrun_str type);

/* V. What is known about sizes: those of a shape, or the elements of a tensor of integers. Equal symbols other than 0
 * are equal unknown sizes. */
typedef struct opsrun_known_sizes {
  int32_t rank; /* -1: nothing is known */
  uint32_t reserved;
  const int64_t* sizes;    /* rank sizes, -1: unknown. Of elements also: n - 1 for the negative number n, and INT64_MIN
                              for an element of which nothing is known */
  const uint32_t* symbols; /* rank symbols; NULL: all are 0 */
} opsrun_known_sizes;

/* V. What is known about an input before it exists. */
typedef struct opsrun_known_input {
  opsrun_known_sizes shape;
  const opsrun_array* value;   /* its elements, in CPU memory; NULL: not known */
  opsrun_known_sizes as_shape; /* its elements, row-major, known in part, if `value` is NULL; rank is their number */
} opsrun_known_input;

#define OPSRUN_SIZE_KNOWN 0u   /* value */
#define OPSRUN_SIZE_INPUT 1u   /* dimension b of input a */
#define OPSRUN_SIZE_ELEMENT 2u /* element b of input a, which was given as as_shape */
#define OPSRUN_SIZE_UNKNOWN 3u /* known after compute */
#define OPSRUN_SIZE_OP 16u     /* and above: OPSRUN_SIZE_OP + OPSRUN_DIM_*, of sizes a and b */

/* V. A size, as a value or as how it follows from others. */
typedef struct opsrun_size {
  int64_t value; /* with OPSRUN_SIZE_KNOWN, negative only for an element; otherwise -1 */
  uint32_t kind, a, b, reserved;
} opsrun_size;

/* V. A shape, as numbers of sizes. */
typedef struct opsrun_size_list {
  int32_t rank; /* -1: unknown */
  uint32_t reserved;
  const uint32_t* sizes; /* rank indices into opsrun_shapes_info.sizes */
} opsrun_size_list;

/* G. The result of a shape function. */
typedef struct opsrun_shapes_info {
  uint32_t size, n_sizes, n_outputs, n_equal;
  const opsrun_size* sizes;         /* each after those that it follows from */
  const opsrun_size_list* outputs;  /* the shape of each output */
  const opsrun_size_list* as_shape; /* for each output: its elements, row-major, as sizes; rank -1: nothing is known */
  const uint32_t* equal;            /* n_equal pairs of sizes that the op requires to be equal */
  const uint32_t* wanted; /* n_wanted inputs whose values the function asked for, but were not given: with them it may
                             say more */
  uint32_t n_wanted, reserved;
} opsrun_shapes_info;

/* [any] Runs the shape function for what is known about all inputs, lists flattened. The code is that of the shape
 * function. INVALID_ARGUMENT: also if n_inputs is not that of the op, or an input cannot be a tensor. Free the result
 * with opsrun_shapes_free. */
OPSRUN_EXPORT int32_t opsrun_typed_op_infer(const opsrun_typed_op* typed, const opsrun_known_input* inputs,
                                            uint32_t n_inputs, opsrun_shapes** shapes, opsrun_report** report);
/* [any] */
OPSRUN_EXPORT const opsrun_shapes_info* opsrun_shapes_get(const opsrun_shapes* shapes);
OPSRUN_EXPORT void opsrun_shapes_free(opsrun_shapes* shapes);

#define OPSRUN_OPERAND_NONE 0u
#define OPSRUN_OPERAND_INPUT 1u    /* input `index` of the op that is differentiated */
#define OPSRUN_OPERAND_OUTPUT 2u   /* output `index` of that op */
#define OPSRUN_OPERAND_GRADIENT 3u /* the gradient of that output */
#define OPSRUN_OPERAND_CONSTANT 4u /* opsrun_gradient_info.constants[index] */
#define OPSRUN_OPERAND_CALL 5u     /* output `output` of opsrun_gradient_info.calls[index] */

/* V. A tensor of a gradient. */
typedef struct opsrun_operand {
  uint32_t kind, index, output, reserved; /* OPSRUN_OPERAND_* */
} opsrun_operand;

/* V. A call of an op. */
typedef struct opsrun_op_call {
  const opsrun_typed_op* op;         /* belongs to the gradient */
  const opsrun_operand* inputs;      /* lists flattened */
  const opsrun_tensor_info* outputs; /* types, and shapes as far as they are known; without names */
} opsrun_op_call;

/* V. A gradient that is zero but for slices, each of which is added at its index along one dimension: for a program
 * that has a type for such tensors, and needs no memory for the zeros then. All operands are inputs of the op or
 * gradients of its outputs. */
typedef struct opsrun_slices {
  opsrun_operand values;  /* the slices, with the dimensions of an index in place of one; NONE: not of this form */
  opsrun_operand indices; /* integers */
  opsrun_operand axis;    /* a scalar, the dimension; negative: counted from the end; NONE: the first one */
  int64_t batch_dims;     /* so many leading dimensions of the gradient and of the indices are walked through together;
                             negative: counted from the rank of the indices */
  uint32_t vectors;       /* 1: an index is a vector along the last dimension of the indices, into as many dimensions */
  uint32_t reserved;
} opsrun_slices;

/* G. How the gradients of an op's inputs follow from those of its outputs. */
typedef struct opsrun_gradient_info {
  uint32_t size, n_calls, n_constants, n_inputs;
  const opsrun_op_call* calls; /* each after those whose results it reads */
  const opsrun_array* constants;
  const opsrun_operand* of_inputs; /* for each input of the op; NONE: no gradient flows back to it */
  const opsrun_slices* slices;     /* for each input: its gradient in another form, if it has one */
} opsrun_gradient_info;

/* [any] Differentiates an op, by what its plugin declares, and opens the plugins whose ops the gradient uses. The
 * gradient of an output on which nothing depends must be given as zeros. shapes: what is known about the shapes of the
 * n_inputs inputs, without symbols, which makes the list shorter; or NULL and 0. Gradients are made of ops that may
 * have gradients themselves. INVALID_ARGUMENT: the op declares no gradient, or an invalid one. Free it with
 * opsrun_gradient_free. */
OPSRUN_EXPORT int32_t opsrun_typed_op_differentiate(const opsrun_typed_op* typed, const opsrun_known_sizes* shapes,
                                                    uint32_t n_inputs, opsrun_gradient** gradient,
                                                    opsrun_report** report);
/* [any] */
OPSRUN_EXPORT const opsrun_gradient_info* opsrun_gradient_get(const opsrun_gradient* gradient);
OPSRUN_EXPORT void opsrun_gradient_free(opsrun_gradient* gradient);

#ifdef __cplusplus
}
#endif

#endif /* OPSRUN_EMBED_HOST_H_ */
