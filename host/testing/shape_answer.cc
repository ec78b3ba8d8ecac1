// host/testing/shape_answer.cc: see shape_answer.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/shape_answer.h"

#include <fmt/format.h>

#include <algorithm>

namespace opsrun::host {
namespace {

bool HasDim(const opsrun_shape* shape, const opsrun_dim* dim) {
  if (shape == nullptr || shape->rank <= 0) return false;
  return std::find(shape->dims, shape->dims + shape->rank, dim) != shape->dims + shape->rank;
}

std::string SizeText(int64_t value) {
  return value < 0 ? "?" : std::to_string(value);
}

std::string NamesText(const std::vector<uint32_t>& inputs) {
  return fmt::format("in{}", fmt::join(inputs, "|in"));
}

std::string NamesText(const std::vector<DimName>& names) {
  std::string text;
  for (const DimName& name : names) {
    text += fmt::format("{}{}{}_{}", text.empty() ? "" : "|", name.output ? 'o' : 'd', name.tensor, name.dim);
  }
  return text;
}

}  // namespace

bool ShapeAnswer::IsInput(const opsrun_shape* shape) const {
  return shape != nullptr && std::find(inputs_.begin(), inputs_.end(), shape) != inputs_.end();
}

bool ShapeAnswer::IsInputDim(const opsrun_dim* dim) const {
  return std::any_of(inputs_.begin(), inputs_.end(), [dim](const opsrun_shape* shape) { return HasDim(shape, dim); });
}

std::string ShapeAnswer::Text(const opsrun_dim* dim) const {
  std::string text = SizeText(dim->value);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    for (int32_t d = 0; d < inputs_[i]->rank; ++d) {
      if (inputs_[i]->dims[d] == dim) text = fmt::format("d{}_{}", i, d);
    }
  }
  return text;
}

std::string ShapeAnswer::Text(const opsrun_shape* shape) const {
  if (shape == nullptr) return "?";
  for (size_t i = inputs_.size(); i-- > 0;) {
    if (inputs_[i] == shape) return fmt::format("in{}", i);
  }
  if (shape->rank < 0) return "?";
  std::vector<std::string> dims;
  for (int32_t d = 0; d < shape->rank; ++d) dims.push_back(Text(shape->dims[d]));
  return fmt::format("[{}]", fmt::join(dims, ","));
}

std::string ShapeAnswer::Text() const {
  std::vector<std::string> shapes;
  for (const opsrun_shape* shape : outputs_) shapes.push_back(Text(shape));
  return fmt::format("{}", fmt::join(shapes, ";"));
}

const opsrun_dim* ShapeAnswer::Find(const DimName& name) const {
  const std::vector<const opsrun_shape*>& shapes = name.output ? outputs_ : inputs_;
  const opsrun_shape* const shape = name.tensor < shapes.size() ? shapes[name.tensor] : nullptr;
  const bool there = shape != nullptr && shape->rank >= 0 && name.dim < static_cast<uint32_t>(shape->rank);
  return there ? shape->dims[name.dim] : nullptr;
}

std::string ShapeAnswer::WhyNot(const opsrun_dim* found, const DimWord& expected) const {
  if (!expected.names.empty()) {
    const bool one = std::any_of(expected.names.begin(), expected.names.end(),
                                 [&](const DimName& name) { return Find(name) == found; });
    return one ? "" : fmt::format("is {}, expected {} itself", Text(found), NamesText(expected.names));
  }
  if (IsInputDim(found)) {
    return fmt::format("is {} itself, expected {} that is none of an input", Text(found), SizeText(expected.value));
  }
  if (found->value == expected.value) return "";
  return fmt::format("is {}, expected {}", SizeText(found->value), SizeText(expected.value));
}

std::string ShapeAnswer::WhyNot(const opsrun_shape* found, const ShapeWord& expected) const {
  if (!expected.inputs.empty()) {
    const bool one = std::any_of(expected.inputs.begin(), expected.inputs.end(),
                                 [&](uint32_t i) { return i < inputs_.size() && inputs_[i] == found; });
    return one ? "" : fmt::format(" is {}, expected {} itself", Text(found), NamesText(expected.inputs));
  }
  if (IsInput(found)) return fmt::format(" is {} itself, expected a shape of its own", Text(found));
  const int32_t rank = found == nullptr ? -1 : found->rank;
  if (!expected.rank_known) {
    return rank < 0 ? "" : fmt::format(" is {}, expected an unknown shape", Text(found));
  }
  if (rank < 0) return fmt::format(" is an unknown shape, expected {} dimensions", expected.dims.size());
  if (static_cast<size_t>(rank) != expected.dims.size()) {
    return fmt::format(" is {}, which has {} dimensions, expected {}", Text(found), rank, expected.dims.size());
  }
  for (int32_t d = 0; d < rank; ++d) {
    const std::string why_not = WhyNot(found->dims[d], expected.dims[d]);
    if (!why_not.empty()) return fmt::format(", dimension {} {}", d, why_not);
  }
  return "";
}

std::string ShapeAnswer::WhyNot(const std::vector<ShapeWord>& expected) const {
  if (outputs_.size() != expected.size()) {
    return fmt::format("there are {} outputs, expected {}", outputs_.size(), expected.size());
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const std::string why_not = WhyNot(outputs_[i], expected[i]);
    if (!why_not.empty()) return fmt::format("output {}{}", i, why_not);
  }
  return "";
}

}  // namespace opsrun::host
