// host/graph/read_number.h: reads a number of a graph file as a number of some type, rounded once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/dtype.h"
#include "host/base/status.h"
#include "host/yaml/value.h"

namespace opsrun::host {

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
