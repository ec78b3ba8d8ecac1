// host/testing/test_values.h: the values that a test names, as the host knows them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/tensor/compare.h"
#include "host/yaml/value.h"
#include "opsrun/testing/array.h"
#include "opsrun/testing/attr_value.h"

namespace opsrun::host {

// INVALID_ARGUMENT, with both numbers, if the elements do not fit the shape, and for what no tensor can be.
Result<Tensor> ToTensor(const test::Array& array);

test::Array ToArray(const Tensor& tensor);

// As a graph would say it; every part of it has the place `span`.
Value ToValue(const test::AttrValue& value, Span span);

// Empty if both have one data type and shape and all elements are within the tolerance. Else what differs: of elements
// how many, the worst one, and both arrays.
std::string DifferenceText(const std::string& name, const Tensor& found, const Tensor& expected,
                           const Tolerance& tolerance);

}  // namespace opsrun::host
