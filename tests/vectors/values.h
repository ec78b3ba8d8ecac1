// tests/vectors/values.h: numbers, tensors and values of attrs, as vectors write them. What cannot be read throws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/dtype.h"
#include "host/spec/op_def.h"
#include "host/tensor/tensor.h"
#include "tests/vectors/yaml_tree.h"

namespace opsrun::vectors {

// "?" or "[2,?]". Throws for another text.
host::spec::PartialShape PartialShapeOf(const std::string& text);

// One value of an attr of that type: 3, [1, 2], "[2,?]", {dtype, shape, values}, {name: F}.
host::spec::AttrValue AttrValueOf(const Tree& tree, host::spec::AttrType type);

// The value of an attr that a node gives, which need not be what the op wants: a word is a data type if it is the name
// of one, unless `wanted` is a string.
host::spec::AttrValue GivenValueOf(const Tree& tree, host::spec::AttrType wanted);

// The kind and all of the value: texts are equal where values are, and where both are the same NaN.
std::string FullText(const host::spec::AttrValue& value);

// "int", "list(type)". Throws for what is none.
host::spec::AttrType AttrTypeOf(const std::string& word);

// The bytes of one element; of a complex one, which is written [real, imaginary] or as a real number. Throws for a
// dtype without bytes.
std::string ElementOf(const Tree& number, host::DType dtype);

// {shape: [2, 2], values: [1, 2, 3, 4]}, or nested lists. Throws if the values do not fill the shape.
host::Tensor TensorOf(const Tree& tree, host::DType dtype);

// Nested lists, or just the values, of a tensor whose shape is known otherwise.
host::Tensor TensorOf(const Tree& values, host::DType dtype, const host::Shape& shape);

// Of nested lists, going by the first of each; whether the others fit, the number of elements tells.
host::Shape ShapeOf(const Tree& nested);

}  // namespace opsrun::vectors
