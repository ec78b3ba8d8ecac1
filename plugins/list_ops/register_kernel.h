// plugins/list_ops/register_kernel.h: the types that kernels take which only move elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"

// m(type) for everything whose elements have a fixed size.
#define LIST_OPS_CALL_FIXED_SIZE_TYPES(m)                                                                         \
  TF_CALL_POD_TYPES(m)                                                                                            \
  TF_CALL_QUANTIZED_TYPES(m) TF_CALL_qint16(m) TF_CALL_quint16(m) TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) \
      TF_CALL_float8_e4m3fnuz(m) TF_CALL_float8_e4m3b11fnuz(m) TF_CALL_float8_e5m2fnuz(m)
