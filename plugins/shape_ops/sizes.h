// plugins/shape_ops/sizes.h: sizes in an int32 or int64 tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <vector>

#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"

namespace shape_ops {

// m(type) for everything that a tensor outside of a run can hold; and without strings, whose bytes are elsewhere.
#define SHAPE_OPS_CALL_FIXED_SIZE_TYPES(m)                                                                        \
  TF_CALL_POD_TYPES(m)                                                                                            \
  TF_CALL_QUANTIZED_TYPES(m) TF_CALL_qint16(m) TF_CALL_quint16(m) TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) \
      TF_CALL_float8_e4m3fnuz(m) TF_CALL_float8_e4m3b11fnuz(m) TF_CALL_float8_e5m2fnuz(m)
#define SHAPE_OPS_CALL_VALUE_TYPES(m) SHAPE_OPS_CALL_FIXED_SIZE_TYPES(m) TF_CALL_tstring(m)

#define SHAPE_OPS_TYPE_OF(T) opsrun::DataTypeToEnum<T>::value,
inline constexpr std::initializer_list<opsrun::DataType> kFixedSize = {
    SHAPE_OPS_CALL_FIXED_SIZE_TYPES(SHAPE_OPS_TYPE_OF)};
#undef SHAPE_OPS_TYPE_OF

// The elements of a vector; an error that blames `subject` if the tensor is none, or longer than a shape can be.
opsrun::Status ReadSizes(const opsrun::Tensor& tensor, const char* subject, std::vector<opsrun::int64>* sizes);

}  // namespace shape_ops
