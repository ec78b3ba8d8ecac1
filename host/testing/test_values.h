// host/testing/test_values.h: converts the values in a test to types of the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "host/spec/op_def.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"
#include "opsrun/testing/array.h"

namespace opsrun::host {

// INVALID_ARGUMENT if the elements do not match the shape (the message has both numbers), or if the tensor is invalid.
Result<Tensor> ToTensor(const test::Array& array);

test::Array ToArray(const Tensor& tensor);

// In the form of a graph file; all parts have the place `span`.
Value ToValue(const test::AttrValue& value, Span span);

using TestAttrs = std::map<std::string, test::AttrValue>;

// The attrs, converted to the types in the op's spec. INVALID_ARGUMENT with the same message as for a graph file.
Result<std::map<std::string, spec::AttrValue>> ConvertAttrs(const spec::OpDef& op, const TestAttrs& attrs);

// Empty if both have the same data type and shape and all elements are within the tolerance. Otherwise describes the
// differences; for elements: how many differ, the worst one, and both arrays.
std::string DifferenceText(const std::string& name, const Tensor& found, const Tensor& expected,
                           const Tolerance& tolerance);

}  // namespace opsrun::host
