// host/graph/read_tensor_value.h: tensors written in the graph: numbers and nested lists of numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// A tensor of zeros, or nothing and an error D001 at `where` if there is no memory for it.
std::optional<Tensor> MakeTensor(DType dtype, const Shape& shape, const Span& where, Reporter& reporter);

// The tensor, or nothing and errors: F105 for lists of unequal lengths, F106 for each element that is not a number of
// the data type. Without a dtype, NumPy's rule applies: int64, float64 if a number has a decimal point, bool,
// complex128; float64 if there are no elements.
std::optional<Tensor> ReadTensorValue(const Value& value, std::optional<DType> dtype, Reporter& reporter);

// A tensor with all elements equal to the number. Errors F106, and D001 if memory runs out. Requires: no size of
// `shape` is -1.
std::optional<Tensor> ReadFillValue(const Value& number, std::optional<DType> dtype, const Located<Shape>& shape,
                                    Reporter& reporter);

}  // namespace opsrun::host
