// host/tensor/float_text.h: floating-point numbers as NumPy prints them: alone, or as a column of equal width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "host/tensor/decimal.h"

namespace opsrun::host {

// str() of a NumPy scalar, with all required digits: "1.0", "1e+16", "(1+2j)".
std::string FloatText(double value, DType format);
std::string FloatText(std::complex<double> value, DType format);

// The numbers of one array, all in the same notation and width, precision 8. Requires: the values are numbers of
// `format`.
std::vector<std::string> FloatColumn(const std::vector<double>& values, DType format);
std::vector<std::string> FloatColumn(const std::vector<std::complex<double>>& values, DType format);

}  // namespace opsrun::host
