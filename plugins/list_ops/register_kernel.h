// plugins/list_ops/register_kernel.h: the types that kernels take which only move elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"

// m(type) for everything whose elements have a fixed size.
#define LIST_OPS_CALL_FIXED_SIZE_TYPES(m) \
  TF_CALL_POD_TYPES(m) TF_CALL_QUANTIZED_TYPES(m) TF_CALL_qint16(m) TF_CALL_quint16(m)
