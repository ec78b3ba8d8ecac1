// host/testing/test_values.h: converts the values in a test to types of the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/tensor/compare.h"
#include "host/yaml/value.h"
#include "opsrun/testing/array.h"
#include "opsrun/testing/attr_value.h"

namespace opsrun::host {

// INVALID_ARGUMENT, with both numbers, if the elements do not match the shape, or if the tensor is invalid.
Result<Tensor> ToTensor(const test::Array& array);

test::Array ToArray(const Tensor& tensor);

// As in a graph file; every part of it has the place `span`.
Value ToValue(const test::AttrValue& value, Span span);

// Empty if both have the same data type and shape and all elements are within the tolerance. Otherwise the differences:
// for elements their number, the worst one, and both arrays.
std::string DifferenceText(const std::string& name, const Tensor& found, const Tensor& expected,
                           const Tolerance& tolerance);

}  // namespace opsrun::host
