// tests/abi/c_api_layout_test.cc: where every field of the contract lies, and how large it is.
//
// Compiling is the test.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/c_api.h"

#define WHAT_TO_DO " changed. Plugins that exist depend on it: docs/abi.md says what may change, and how"
#define STRUCT(type, size) static_assert(sizeof(type) == (size), #type WHAT_TO_DO)
#define FIELD(type, field, offset, size)                                                        \
  static_assert(offsetof(type, field) == (offset) && sizeof(((const type*)0)->field) == (size), \
                #type "." #field WHAT_TO_DO)

STRUCT(opsrun_str, 16);
FIELD(opsrun_str, data, 0, 8);
FIELD(opsrun_str, size, 8, 8);

STRUCT(opsrun_dldtype, 4);
FIELD(opsrun_dldtype, code, 0, 1);
FIELD(opsrun_dldtype, bits, 1, 1);
FIELD(opsrun_dldtype, lanes, 2, 2);

STRUCT(opsrun_device, 8);
FIELD(opsrun_device, type, 0, 4);
FIELD(opsrun_device, id, 4, 4);

STRUCT(opsrun_tensor, 64);
FIELD(opsrun_tensor, data, 0, 8);
FIELD(opsrun_tensor, device, 8, 8);
FIELD(opsrun_tensor, rank, 16, 4);
FIELD(opsrun_tensor, dl, 20, 4);
FIELD(opsrun_tensor, shape, 24, 8);
FIELD(opsrun_tensor, strides, 32, 8);
FIELD(opsrun_tensor, byte_offset, 40, 8);
FIELD(opsrun_tensor, host, 48, 8);
FIELD(opsrun_tensor, flags, 56, 4);
FIELD(opsrun_tensor, dtype, 60, 4);

STRUCT(opsrun_resource, 72);
FIELD(opsrun_resource, obj, 0, 8);
FIELD(opsrun_resource, host, 8, 8);
FIELD(opsrun_resource, destroy, 16, 8);
FIELD(opsrun_resource, container, 24, 16);
FIELD(opsrun_resource, name, 40, 16);
FIELD(opsrun_resource, type, 56, 16);

STRUCT(opsrun_dim, 8);
FIELD(opsrun_dim, value, 0, 8);

STRUCT(opsrun_shape, 16);
FIELD(opsrun_shape, rank, 0, 4);
FIELD(opsrun_shape, reserved, 4, 4);
FIELD(opsrun_shape, dims, 8, 8);

STRUCT(opsrun_partial, 16);
FIELD(opsrun_partial, rank, 0, 4);
FIELD(opsrun_partial, reserved, 4, 4);
FIELD(opsrun_partial, dims, 8, 8);

STRUCT(opsrun_attr, 48);
FIELD(opsrun_attr, name, 0, 16);
FIELD(opsrun_attr, kind, 16, 4);
FIELD(opsrun_attr, reserved, 20, 4);
FIELD(opsrun_attr, count, 24, 8);
FIELD(opsrun_attr, v, 32, 16);

STRUCT(opsrun_arg, 32);
FIELD(opsrun_arg, name, 0, 16);
FIELD(opsrun_arg, first, 16, 4);
FIELD(opsrun_arg, count, 20, 4);
FIELD(opsrun_arg, flags, 24, 4);
FIELD(opsrun_arg, reserved, 28, 4);

STRUCT(opsrun_host, 224);
FIELD(opsrun_host, size, 0, 4);
FIELD(opsrun_host, level, 4, 4);
FIELD(opsrun_host, fail, 8, 8);
FIELD(opsrun_host, log, 16, 8);
FIELD(opsrun_host, query, 24, 8);
FIELD(opsrun_host, allocate_output, 32, 8);
FIELD(opsrun_host, set_output, 40, 8);
FIELD(opsrun_host, forward_input, 48, 8);
FIELD(opsrun_host, allocate_temp, 56, 8);
FIELD(opsrun_host, retain, 64, 8);
FIELD(opsrun_host, release, 72, 8);
FIELD(opsrun_host, string_assign, 80, 8);
FIELD(opsrun_host, parallel_for, 88, 8);
FIELD(opsrun_host, string_swap, 96, 8);
FIELD(opsrun_host, try_schedule, 104, 8);
FIELD(opsrun_host, num_threads, 112, 8);
FIELD(opsrun_host, current_thread, 120, 8);
FIELD(opsrun_host, cancelled, 128, 8);
FIELD(opsrun_host, resource, 136, 8);
FIELD(opsrun_host, resource_retain, 144, 8);
FIELD(opsrun_host, resource_release, 152, 8);
FIELD(opsrun_host, resource_delete, 160, 8);
FIELD(opsrun_host, make_dim, 168, 8);
FIELD(opsrun_host, make_shape, 176, 8);
FIELD(opsrun_host, set_output_shape, 184, 8);
FIELD(opsrun_host, equate, 192, 8);
FIELD(opsrun_host, dim_op, 200, 8);
FIELD(opsrun_host, want_value, 208, 8);
FIELD(opsrun_host, set_output_value, 216, 8);

STRUCT(opsrun_call, 128);
FIELD(opsrun_call, size, 0, 4);
FIELD(opsrun_call, kind, 4, 2);
FIELD(opsrun_call, flags, 6, 2);
FIELD(opsrun_call, in, 8, 8);
FIELD(opsrun_call, out, 16, 8);
FIELD(opsrun_call, n_in, 24, 4);
FIELD(opsrun_call, n_out, 28, 4);
FIELD(opsrun_call, host, 32, 8);
FIELD(opsrun_call, stream, 40, 8);
FIELD(opsrun_call, forwardable, 48, 8);
FIELD(opsrun_call, run_id, 56, 8);
FIELD(opsrun_call, lane, 64, 8);
FIELD(opsrun_call, reserved, 72, 56);

STRUCT(opsrun_create, 120);
FIELD(opsrun_create, size, 0, 4);
FIELD(opsrun_create, kind, 4, 2);
FIELD(opsrun_create, flags, 6, 2);
FIELD(opsrun_create, host, 8, 8);
FIELD(opsrun_create, node, 16, 16);
FIELD(opsrun_create, op, 32, 16);
FIELD(opsrun_create, device, 48, 8);
FIELD(opsrun_create, attrs, 56, 8);
FIELD(opsrun_create, in_args, 64, 8);
FIELD(opsrun_create, out_args, 72, 8);
FIELD(opsrun_create, in_types, 80, 8);
FIELD(opsrun_create, out_types, 88, 8);
FIELD(opsrun_create, n_attrs, 96, 4);
FIELD(opsrun_create, n_in_args, 100, 4);
FIELD(opsrun_create, n_out_args, 104, 4);
FIELD(opsrun_create, n_in, 108, 4);
FIELD(opsrun_create, n_out, 112, 4);
FIELD(opsrun_create, reserved, 116, 4);

STRUCT(opsrun_shape_call, 72);
FIELD(opsrun_shape_call, size, 0, 4);
FIELD(opsrun_shape_call, kind, 4, 2);
FIELD(opsrun_shape_call, flags, 6, 2);
FIELD(opsrun_shape_call, host, 8, 8);
FIELD(opsrun_shape_call, attrs, 16, 8);
FIELD(opsrun_shape_call, in_args, 24, 8);
FIELD(opsrun_shape_call, out_args, 32, 8);
FIELD(opsrun_shape_call, in, 40, 8);
FIELD(opsrun_shape_call, n_attrs, 48, 4);
FIELD(opsrun_shape_call, n_in_args, 52, 4);
FIELD(opsrun_shape_call, n_out_args, 56, 4);
FIELD(opsrun_shape_call, n_in, 60, 4);
FIELD(opsrun_shape_call, n_out, 64, 4);
FIELD(opsrun_shape_call, reserved, 68, 4);

STRUCT(opsrun_op, 136);
FIELD(opsrun_op, size, 0, 4);
FIELD(opsrun_op, flags, 4, 4);
FIELD(opsrun_op, must_understand, 8, 8);
FIELD(opsrun_op, name, 16, 16);
FIELD(opsrun_op, doc, 32, 16);
FIELD(opsrun_op, inputs, 48, 8);
FIELD(opsrun_op, outputs, 56, 8);
FIELD(opsrun_op, control_outputs, 64, 8);
FIELD(opsrun_op, attrs, 72, 8);
FIELD(opsrun_op, n_inputs, 80, 4);
FIELD(opsrun_op, n_outputs, 84, 4);
FIELD(opsrun_op, n_control_outputs, 88, 4);
FIELD(opsrun_op, n_attrs, 92, 4);
FIELD(opsrun_op, deprecated_version, 96, 4);
FIELD(opsrun_op, reserved, 100, 4);
FIELD(opsrun_op, deprecated_text, 104, 16);
FIELD(opsrun_op, shape, 120, 8);
FIELD(opsrun_op, shape_ctx, 128, 8);

STRUCT(opsrun_kernel, 136);
FIELD(opsrun_kernel, size, 0, 4);
FIELD(opsrun_kernel, flags, 4, 4);
FIELD(opsrun_kernel, must_understand, 8, 8);
FIELD(opsrun_kernel, op, 16, 16);
FIELD(opsrun_kernel, device, 32, 16);
FIELD(opsrun_kernel, label, 48, 16);
FIELD(opsrun_kernel, constraints, 64, 8);
FIELD(opsrun_kernel, host_memory, 72, 8);
FIELD(opsrun_kernel, aliases, 80, 8);
FIELD(opsrun_kernel, n_constraints, 88, 4);
FIELD(opsrun_kernel, n_host_memory, 92, 4);
FIELD(opsrun_kernel, n_aliases, 96, 4);
FIELD(opsrun_kernel, priority, 100, 4);
FIELD(opsrun_kernel, create, 104, 8);
FIELD(opsrun_kernel, compute, 112, 8);
FIELD(opsrun_kernel, destroy, 120, 8);
FIELD(opsrun_kernel, ctx, 128, 8);

STRUCT(opsrun_plugin, 80);
FIELD(opsrun_plugin, size, 0, 4);
FIELD(opsrun_plugin, header_level, 4, 4);
FIELD(opsrun_plugin, min_level, 8, 4);
FIELD(opsrun_plugin, flags, 12, 4);
FIELD(opsrun_plugin, name, 16, 16);
FIELD(opsrun_plugin, version, 32, 16);
FIELD(opsrun_plugin, ops, 48, 8);
FIELD(opsrun_plugin, kernels, 56, 8);
FIELD(opsrun_plugin, n_ops, 64, 4);
FIELD(opsrun_plugin, n_kernels, 68, 4);
FIELD(opsrun_plugin, shutdown, 72, 8);

STRUCT(opsrun_note_plugin, 132);
FIELD(opsrun_note_plugin, size, 0, 4);
FIELD(opsrun_note_plugin, header_level, 4, 4);
FIELD(opsrun_note_plugin, min_level, 8, 4);
FIELD(opsrun_note_plugin, flags, 12, 4);
FIELD(opsrun_note_plugin, sdk_version, 16, 16);
FIELD(opsrun_note_plugin, compiler, 32, 32);
FIELD(opsrun_note_plugin, fp_str, 64, 4);
FIELD(opsrun_note_plugin, fp_dldtype, 68, 4);
FIELD(opsrun_note_plugin, fp_device, 72, 4);
FIELD(opsrun_note_plugin, fp_tensor, 76, 4);
FIELD(opsrun_note_plugin, fp_resource, 80, 4);
FIELD(opsrun_note_plugin, fp_dim, 84, 4);
FIELD(opsrun_note_plugin, fp_shape, 88, 4);
FIELD(opsrun_note_plugin, fp_partial, 92, 4);
FIELD(opsrun_note_plugin, fp_attr, 96, 4);
FIELD(opsrun_note_plugin, fp_arg, 100, 4);
FIELD(opsrun_note_plugin, fp_host, 104, 4);
FIELD(opsrun_note_plugin, fp_call, 108, 4);
FIELD(opsrun_note_plugin, fp_create, 112, 4);
FIELD(opsrun_note_plugin, fp_shape_call, 116, 4);
FIELD(opsrun_note_plugin, fp_op, 120, 4);
FIELD(opsrun_note_plugin, fp_kernel, 124, 4);
FIELD(opsrun_note_plugin, fp_plugin, 128, 4);
