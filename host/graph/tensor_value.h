// host/graph/tensor_value.h: tensors, shapes and numbers as written in a graph file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/base/dtype.h"
#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// [2, -1]
Value SizesValue(const int64_t* sizes, size_t rank);

// The element at a row-major index.
Value ElementValue(const Tensor& tensor, int64_t place, const Span& span = {});

// [[1, 2], [3, 4]]; 1.5 for a scalar.
Value ElementsValue(const Tensor& tensor, const Span& span = {});

// {value: [[1, 2]], dtype: int32}, or {fill: 0, shape: [0, 2], dtype: int32} for a shape that lists cannot express.
Value WholeTensorValue(const Tensor& tensor);

// The value for `fill`: the first element or, if there are none, any valid one.
Value FillValue(const Tensor& tensor);

// A tensor of zeros, or nothing and an error D001 at `where` if memory runs out.
std::optional<Tensor> MakeTensor(DType dtype, const Shape& shape, const Span& where, Reporter& reporter);

// Reads numbers and nested lists of numbers. Returns nothing and errors for lists of unequal lengths (F105) and for
// elements that are not numbers of the data type (F106). Without a dtype, NumPy's rules apply: int64, float64 if a
// number has a decimal point, bool, complex128; float64 if there are no elements.
std::optional<Tensor> ReadTensorValue(const Value& value, std::optional<DType> dtype, Reporter& reporter);

// A tensor whose elements all equal the number. Errors are F106, and D001 if memory runs out. Requires: no size in
// `shape` is -1.
std::optional<Tensor> ReadFillValue(const Value& number, std::optional<DType> dtype, const Located<Shape>& shape,
                                    Reporter& reporter);

// The tensor of a feed {random: KIND, seed:, low:, high:, mean:, stddev:}; float64 without a dtype. Nothing and an
// error if the feed is invalid (F107) or memory runs out (D001). Requires: no size in `shape` is -1.
std::optional<Tensor> ReadRandomValue(const Value& feed, const Value& kind, std::optional<DType> dtype,
                                      const Located<Shape>& shape, Reporter& reporter);

// A data type that a feed can have, or nothing and an error F103.
std::optional<Located<DType>> ReadDType(const Value& value, Reporter& reporter);

// A list of sizes of at least 0, or -1 for an unknown size; nothing and an error F104 for anything else. whole:
// CheckWhole follows, so the help does not suggest -1.
std::optional<Located<Shape>> ReadShape(const Value& value, Reporter& reporter, bool whole = false);

// True if all sizes are known, which `what` requires; otherwise adds an error F104.
bool CheckWhole(const Located<Shape>& shape, const std::string& what, Reporter& reporter);

// True if `declared` (-1: any size) allows the shape `found`.
bool ShapeAllows(const Shape& declared, std::span<const int64_t> found);

// Numbers, read as numbers of some type and rounded once.

// A number that was read. overflows: the text is finite, but the number is infinite, or NaN in a format without
// infinity.
template <typename T>
struct ReadNumber {
  T number{};
  bool overflows = false;
};

// Reads an unquoted decimal number, .inf, -.inf, .nan, 0x1F or 0o17; nothing for any other text. T: float, double, or a
// float of 8 or 16 bits.
template <typename T>
std::optional<ReadNumber<T>> ReadFloat(std::string_view text);

// Reads "2j", "1+2j", "(1-2.5e-3j)": Python's syntax, with "inf" and "nan" as in Python or, with a leading point, as in
// YAML.
template <typename T>
std::optional<ReadNumber<std::complex<T>>> ReadComplex(std::string_view text);

// Reads a float attr: a double that converts to the float nearest to the text, because kernels read a float.
std::optional<double> ReadFloatAttr(const Value& value);

// The data type of a number without a dtype, by NumPy's rules: bool, int64, float64 or complex128. Nothing if the value
// is not a number.
std::optional<DType> NaturalDType(const Value& value);

// Converts the scalar and writes DTypeSize(dtype) bytes to `to`. INVALID_ARGUMENT if it is not a number of that type or
// does not fit: integers are never rounded or wrapped; floats are rounded once, to nearest, and never to infinity.
// Requires: a feedable dtype.
Status StoreNumber(const Value& value, DType dtype, void* to);

// A help line for a value that StoreNumber refuses, including numbers in the syntax of other languages (True, 1_000,
// nan, 0b11).
std::string NumberHelp(const Value& value, DType dtype);

// Converts a number in the syntax of other languages to that of graphs: nan to ".nan", 1_000 to "1000", 0X1F to "31".
// Empty if the word is not such a number.
std::string NumberMeantBy(const std::string& word);

}  // namespace opsrun::host
