// opsrun/register_types.h: TF_CALL_<set>(m) expands to m(type) for every C++ type of a set.
//
// half and bfloat16 are Eigen's if Eigen is included, and the SDK's own otherwise. The sets are fixed and never grow,
// so that a rebuilt plugin registers the same kernels as before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

#include "opsrun/namespace.h"
#include "opsrun/types.h"

#define TF_CALL_float(m) m(float)
#define TF_CALL_double(m) m(double)
#define TF_CALL_int8(m) m(::OPSRUN_NAMESPACE::int8)
#define TF_CALL_int16(m) m(::OPSRUN_NAMESPACE::int16)
#define TF_CALL_int32(m) m(::OPSRUN_NAMESPACE::int32)
#define TF_CALL_int64(m) m(::OPSRUN_NAMESPACE::int64)
#define TF_CALL_uint8(m) m(::OPSRUN_NAMESPACE::uint8)
#define TF_CALL_uint16(m) m(::OPSRUN_NAMESPACE::uint16)
#define TF_CALL_uint32(m) m(::OPSRUN_NAMESPACE::uint32)
#define TF_CALL_uint64(m) m(::OPSRUN_NAMESPACE::uint64)
#define TF_CALL_bool(m) m(bool)
#define TF_CALL_complex64(m) m(::OPSRUN_NAMESPACE::complex64)
#define TF_CALL_complex128(m) m(::OPSRUN_NAMESPACE::complex128)
#define TF_CALL_qint8(m) m(::OPSRUN_NAMESPACE::qint8)
#define TF_CALL_quint8(m) m(::OPSRUN_NAMESPACE::quint8)
#define TF_CALL_qint16(m) m(::OPSRUN_NAMESPACE::qint16)
#define TF_CALL_quint16(m) m(::OPSRUN_NAMESPACE::quint16)
#define TF_CALL_qint32(m) m(::OPSRUN_NAMESPACE::qint32)
#define TF_CALL_tstring(m) m(::OPSRUN_NAMESPACE::tstring)
#define TF_CALL_string(m) TF_CALL_tstring(m)
#define TF_CALL_resource(m) m(::OPSRUN_NAMESPACE::ResourceHandle)
// Empty here. The compat headers define it for their class Variant.
#define TF_CALL_variant(m)
// Expanded at the point of use, so Eigen may be included after this header.
#define TF_CALL_half(m) m(OPSRUN_HALF)
#define TF_CALL_bfloat16(m) m(OPSRUN_BFLOAT16)
// Not included in any set.
#define TF_CALL_float8_e5m2(m) m(::OPSRUN_NAMESPACE::float8_e5m2)
#define TF_CALL_float8_e4m3fn(m) m(::OPSRUN_NAMESPACE::float8_e4m3fn)
#define TF_CALL_float8_e4m3fnuz(m) m(::OPSRUN_NAMESPACE::float8_e4m3fnuz)
#define TF_CALL_float8_e4m3b11fnuz(m) m(::OPSRUN_NAMESPACE::float8_e4m3b11fnuz)
#define TF_CALL_float8_e5m2fnuz(m) m(::OPSRUN_NAMESPACE::float8_e5m2fnuz)

#define TF_CALL_INTEGRAL_TYPES_NO_INT32(m)                                                                 \
  TF_CALL_uint64(m) TF_CALL_int64(m) TF_CALL_uint32(m) TF_CALL_uint16(m) TF_CALL_int16(m) TF_CALL_uint8(m) \
      TF_CALL_int8(m)
#define TF_CALL_INTEGRAL_TYPES(m) TF_CALL_INTEGRAL_TYPES_NO_INT32(m) TF_CALL_int32(m)
#define TF_CALL_FLOAT_TYPES(m) TF_CALL_half(m) TF_CALL_bfloat16(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_REAL_NUMBER_TYPES(m) TF_CALL_INTEGRAL_TYPES(m) TF_CALL_FLOAT_TYPES(m)
#define TF_CALL_REAL_NUMBER_TYPES_NO_BFLOAT16(m) \
  TF_CALL_INTEGRAL_TYPES(m) TF_CALL_half(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_REAL_NUMBER_TYPES_NO_INT32(m) TF_CALL_INTEGRAL_TYPES_NO_INT32(m) TF_CALL_FLOAT_TYPES(m)
#define TF_CALL_COMPLEX_TYPES(m) TF_CALL_complex64(m) TF_CALL_complex128(m)
#define TF_CALL_NUMBER_TYPES(m) TF_CALL_REAL_NUMBER_TYPES(m) TF_CALL_COMPLEX_TYPES(m)
#define TF_CALL_NUMBER_TYPES_NO_INT32(m) TF_CALL_REAL_NUMBER_TYPES_NO_INT32(m) TF_CALL_COMPLEX_TYPES(m)
#define TF_CALL_POD_TYPES(m) TF_CALL_NUMBER_TYPES(m) TF_CALL_bool(m)
#define TF_CALL_POD_STRING_TYPES(m) TF_CALL_POD_TYPES(m) TF_CALL_tstring(m)
#define TF_CALL_ALL_TYPES(m) TF_CALL_POD_STRING_TYPES(m) TF_CALL_resource(m) TF_CALL_variant(m)
#define TF_CALL_SAVE_RESTORE_TYPES(m) \
  TF_CALL_INTEGRAL_TYPES(m)           \
  TF_CALL_FLOAT_TYPES(m) TF_CALL_COMPLEX_TYPES(m) TF_CALL_bool(m) TF_CALL_tstring(m) TF_CALL_QUANTIZED_TYPES(m)
#define TF_CALL_QUANTIZED_TYPES(m) TF_CALL_qint8(m) TF_CALL_quint8(m) TF_CALL_qint32(m)
#define TF_CALL_GPU_NUMBER_TYPES_NO_HALF(m) TF_CALL_float(m) TF_CALL_double(m)
#define TF_CALL_GPU_NUMBER_TYPES(m) TF_CALL_half(m) TF_CALL_GPU_NUMBER_TYPES_NO_HALF(m)
#define TF_CALL_GPU_ALL_TYPES(m) TF_CALL_GPU_NUMBER_TYPES(m) TF_CALL_COMPLEX_TYPES(m) TF_CALL_bool(m)
