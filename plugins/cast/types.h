// plugins/cast/types.h: the types that Cast converts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/register_types.h"

// Quantized numbers are converted as the integers that they are.
#define CAST_CALL_QUANTIZED(m) TF_CALL_qint8(m) TF_CALL_quint8(m) TF_CALL_qint16(m) TF_CALL_quint16(m) TF_CALL_qint32(m)

#define CAST_CALL_TYPES(m)                                                                                           \
  TF_CALL_bool(m) TF_CALL_NUMBER_TYPES(m) TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) TF_CALL_float8_e4m3fnuz(m) \
      TF_CALL_float8_e4m3b11fnuz(m) TF_CALL_float8_e5m2fnuz(m)
