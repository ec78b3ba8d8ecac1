// host/graph/read_number.h: a number of a graph file as a number of a type, rounded once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <optional>
#include <string_view>

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

}  // namespace opsrun::host
