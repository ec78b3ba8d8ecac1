// host/graph/tensor_value.h: tensors and shapes as a graph file writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "host/graph/graph.h"
#include "host/tensor/tensor.h"
#include "host/yaml/reporter.h"
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

// Tensors written in the graph: numbers and nested lists of numbers.

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

// Data types and shapes as a graph writes them.

// A data type that a feed can have, or nothing and an error F103.
std::optional<Located<DType>> ReadDType(const Value& value, Reporter& reporter);

// A list of sizes from 0 on, -1 for an unknown one, or nothing and an error F104. whole: CheckWhole will follow, so
// help does not propose -1.
std::optional<Located<Shape>> ReadShape(const Value& value, Reporter& reporter, bool whole = false);

// Whether every size is known, as `what` needs it; otherwise an error F104.
bool CheckWhole(const Located<Shape>& shape, const std::string& what, Reporter& reporter);

// Whether a tensor of shape `found` is one of those that `declared` (-1: any size) allows.
bool ShapeAllows(const Shape& declared, std::span<const int64_t> found);

}  // namespace opsrun::host
