// host/spec/naming.h: the names of an op and its parts in Python and in C++ wrappers, and Python's syntax.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// "MatMul" is "mat_mul", "Conv2D" is "conv2d", "MyLib>FftND" is "my_lib_fft_nd".
std::string SnakeCase(std::string_view camel);

// The setter of an attr in a C++ wrapper of class `op_class`: "use_bias_2" becomes "UseBias2". A '_' is appended if the
// name would be that of the class, or "Attrs".
std::string SetterName(std::string_view attr, std::string_view op_class = {});

// "scale_by(x, k, flag=True, name=None)": inputs, then attrs that no input determines, those without a default first.
// Data types are written as float32, half; the default of a tensor attr as "...".
std::string PythonSignature(const OpDef& op);

// Keywords of Python 3.
bool IsPythonKeyword(std::string_view word);

}  // namespace opsrun::host::spec
