// plugins/cast/types.h: the types that Cast converts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/register_types.h"

#define CAST_CALL_TYPES(m)                                                                                           \
  TF_CALL_bool(m) TF_CALL_NUMBER_TYPES(m) TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) TF_CALL_float8_e4m3fnuz(m) \
      TF_CALL_float8_e4m3b11fnuz(m) TF_CALL_float8_e5m2fnuz(m)
