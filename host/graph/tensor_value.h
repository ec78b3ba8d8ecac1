// host/graph/tensor_value.h: tensors and shapes as a graph file writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/tensor/tensor.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// [2, -1]
Value SizesValue(const int64_t* sizes, size_t rank);

// Element `place`, in row-major order.
Value ElementValue(const Tensor& tensor, int64_t place, const Span& span = {});

// [[1, 2], [3, 4]]; 1.5 for a scalar.
Value ElementsValue(const Tensor& tensor, const Span& span = {});

// {value: [[1, 2]], dtype: int32}, or {fill: 0, shape: [0, 2], dtype: int32} if lists cannot express the shape.
Value WholeTensorValue(const Tensor& tensor);

// The value for `fill`: the first element or, if there are no elements, any valid one.
Value FillValue(const Tensor& tensor);

}  // namespace opsrun::host
