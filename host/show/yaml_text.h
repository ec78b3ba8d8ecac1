// host/show/yaml_text.h: values as a graph file writes them, so that reading gives the same value again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/spec/attr_value.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// A string in quotes that YAML reads back: "a\tb".
std::string YamlString(std::string_view text);

// The name of a feed, a node or an output, or a reference: in quotes if some YAML would read it as something else,
// as `true` and `no`.
std::string YamlName(const std::string& name);

// Element `place` in row-major order. Bytes that are no UTF-8 become U+FFFD.
std::string YamlElement(const Tensor& tensor, int64_t place);

// Nested lists: "[[1, 2], [3, 4]]"; "1.5" for a scalar.
std::string YamlTensor(const Tensor& tensor);

// "3", "[float32, int8]", "{value: [1, 2], dtype: int32}". Nothing for what a graph has no words for: a shape of
// unknown rank, a tensor of shape [0, 2].
std::optional<std::string> YamlAttr(const spec::AttrValue& value);

}  // namespace opsrun::host
