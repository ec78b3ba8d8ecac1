// host/graph/read_number.h: a number of a graph file as a number of a type, rounded once.
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

// A number, and whether it was written as a smaller one: it is infinite, or NaN in a format without infinity, for a
// text that is not.
template <typename T>
struct ReadNumber {
  T number{};
  bool overflows = false;
};

// A plain decimal number, .inf, -.inf, .nan, 0x1F or 0o17, which is not quoted; nothing for anything else. T: float,
// double, a float of 8 or 16 bits.
template <typename T>
std::optional<ReadNumber<T>> ReadFloat(std::string_view text);

// "2j", "1+2j", "(1-2.5e-3j)": Python's spelling, whose "inf" and "nan" have no point, or YAML's, in which they have
// one.
template <typename T>
std::optional<ReadNumber<std::complex<T>>> ReadComplex(std::string_view text);

// A float attr: the plain number as a double that becomes the float nearest to its text, since kernels read a float.
std::optional<double> ReadFloatAttr(const Value& value);

// Converts a number of a graph file to the bytes of an element.

// The data type of a number without a dtype, by NumPy's rule: bool, int64, float64 or complex128. Nothing if the value
// is not a number.
std::optional<DType> NaturalDType(const Value& value);

// Converts the scalar and writes DTypeSize(dtype) bytes to `to`. INVALID_ARGUMENT if it is not a number of that type or
// does not fit: integers are never rounded or wrapped, floats are rounded once, to the nearest, and never to infinity.
// Requires: a feedable dtype.
Status StoreNumber(const Value& value, DType dtype, void* to);

// What to write instead of what is not a number, or not one of the type.

// A sentence for a value that StoreNumber refuses: people write numbers as in other languages (True, 1_000, nan, 0b11).
std::string NumberHelp(const Value& value, DType dtype);

// The number that an unquoted word means elsewhere, as a graph spells it: ".nan" for nan, "1000" for 1_000, "31" for
// 0X1F. Empty if there is none.
std::string NumberMeantBy(const std::string& word);

}  // namespace opsrun::host
