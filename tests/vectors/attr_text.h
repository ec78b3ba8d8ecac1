// tests/vectors/attr_text.h: values of attrs, as vectors write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/spec/op_def.h"
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

}  // namespace opsrun::vectors
