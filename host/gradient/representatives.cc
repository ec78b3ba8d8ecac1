// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/representatives.h"

#include <algorithm>
#include <utility>

namespace opsrun::host {
namespace {

bool IsKnown(const ResolvedShape& shape) {
  return shape.rank_known && std::ranges::all_of(shape.dims, [](const ResolvedDim& dim) { return dim.size >= 0; });
}

bool SameSizes(const ResolvedShape& a, const ResolvedShape& b) {
  return std::ranges::equal(a.dims, b.dims, {}, &ResolvedDim::size, &ResolvedDim::size);
}

template <typename T>
void AppendBytes(const T& value, std::string& key) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

Representatives::Representatives(const Graph& original, const Resolution& resolution, const DerivedGradients& gradients)
    : original_(original),
      resolution_(resolution),
      gradients_(gradients),
      values_(resolution.values.size(), kNone),
      constants_(gradients.constants.size(), kNone),
      feed_of_value_(resolution.values.size(), kNone) {
  made_.source = original.source;
  made_.directory = original.directory;
  if (Add()) graph_ = std::make_shared<const Graph>(std::move(made_));
}

bool Representatives::Add() {
  const auto is_elsewhere = [](const ResolvedNode& node) { return node.device != kCpuName; };
  if (std::ranges::any_of(resolution_.nodes, is_elsewhere)) return false;
  for (uint32_t i = 0; i < original_.feeds.size(); ++i) {
    const uint32_t value = resolution_.feed_values[i];
    if (!HasGradient(resolution_.values[value].dtype)) feed_of_value_[value] = i;  // its values may decide shapes
  }
  uint32_t outputs = 0;
  for (const DerivedNode& node : gradients_.nodes) {
    first_output_.push_back(outputs);
    outputs += static_cast<uint32_t>(node.signature->out_types.size());
  }
  passed_on_.resize(outputs, kNone);
  for (const InputGradient& each : gradients_.of_inputs) {
    const DerivedTensor& gradient = each.gradient;
    if (gradient.from == DerivedTensor::From::kNode)
      passed_on_[first_output_[gradient.index] + gradient.output] = each.value;
  }
  for (uint32_t node = 0; node < gradients_.nodes.size(); ++node) {
    if (!AddNode(node)) return false;
  }
  return std::ranges::all_of(gradients_.of_inputs, [&](const InputGradient& each) {
    return NumberOfValue(each.value) != kNone && NumberOf(each.gradient) != kNone;
  });
}

bool Representatives::AddNode(uint32_t node) {
  const DerivedNode& derived = gradients_.nodes[node];
  std::vector<uint32_t> inputs(derived.signature->in_types.size());
  std::string kind;
  AppendBytes(derived.written, kind);
  AppendBytes(derived.signature, kind);
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i] = NumberOf(gradients_.InputsOf(derived)[i]);
    if (inputs[i] == kNone) return false;
    AppendBytes(inputs[i], kind);
  }
  const auto [first, is_new] = by_kind_.try_emplace(std::move(kind), static_cast<uint32_t>(tensors_.size()));
  nodes_.push_back(first->second);
  if (!is_new) return true;
  Node& planned = made_.nodes.emplace_back(gradients_.NodeAt(node, original_));
  planned.gradient_of.reset();
  size_t next = 0;
  for (NodeInput& input : planned.inputs) {
    for (Reference& from : input.from) from = tensors_[inputs[next++]].name;
  }
  for (uint32_t i = 0; i < derived.signature->out_types.size(); ++i) {
    tensors_.push_back({ParseReference(OutputName(planned.name.value, derived.signature->out_args, i)), kNone,
                        static_cast<uint32_t>(made_.nodes.size() - 1), i});
  }
  return true;
}

// The name is free, as no node's name has a dot.
uint32_t Representatives::AddFeed(Feed feed) {
  const auto index = static_cast<uint32_t>(made_.feeds.size());
  feed.name.value = "." + std::to_string(index);
  tensors_.push_back({{feed.name.value, {}, -1, {}}, index});
  made_.feeds.push_back(std::move(feed));
  return static_cast<uint32_t>(tensors_.size() - 1);
}

uint32_t Representatives::NumberOf(const DerivedTensor& tensor) {
  if (tensor.from == DerivedTensor::From::kValue) return NumberOfValue(tensor.index);
  if (tensor.from == DerivedTensor::From::kConstant) return NumberOfConstant(tensor.index);
  const uint32_t value = passed_on_[first_output_[tensor.index] + tensor.output];
  return value == kNone ? nodes_[tensor.index] + tensor.output : NumberOfValue(value);
}

uint32_t Representatives::NumberOfValue(uint32_t value) {
  if (values_[value] != kNone) return values_[value];
  const auto [dtype, shape] = resolution_.values[value];
  if (!IsKnown(shape)) return kNone;
  if (feed_of_value_[value] != kNone) return values_[value] = AddFeed(original_.feeds[feed_of_value_[value]]);
  Feed feed;
  feed.dtype = {dtype, {}};
  feed.shape.emplace();
  for (const ResolvedDim& dim : shape.dims) feed.shape->value.push_back(dim.size);
  const std::string kind = DTypeName(dtype) + ShapeText(feed.shape->value);
  const auto [number, is_new] = by_kind_.try_emplace(kind, 0);
  if (is_new) number->second = AddFeed(std::move(feed));
  return values_[value] = number->second;
}

uint32_t Representatives::NumberOfConstant(uint32_t constant) {
  if (constants_[constant] != kNone) return constants_[constant];
  const auto [number, is_new] = by_kind_.try_emplace("=" + KeyOf(gradients_.constants[constant]), 0);
  if (is_new) number->second = AddFeed(gradients_.constants[constant]);
  return constants_[constant] = number->second;
}

uint32_t Representatives::ValueOf(const Planned& tensor, const Resolution& planned) {
  if (tensor.feed != kNone) return planned.feed_values[tensor.feed];
  return planned.nodes[tensor.node].first_output + tensor.output;
}

std::optional<DerivedValues> Representatives::Find(const Resolution& planned) const {
  if (!std::ranges::all_of(planned.values, IsKnown, &ResolvedValue::shape)) return std::nullopt;
  DerivedValues found(planned);
  const auto find = [&](const std::vector<uint32_t>& numbers, std::vector<uint32_t>& values) {
    values.reserve(numbers.size());
    for (const uint32_t number : numbers)
      values.push_back(number == kNone ? kNone : ValueOf(tensors_[number], planned));
  };
  find(values_, found.values_);
  find(constants_, found.constants_);
  find(nodes_, found.nodes_);
  const bool same = std::ranges::all_of(gradients_.of_inputs, [&](const InputGradient& each) {
    return SameSizes(found.Find(each.gradient).shape, found.Find({.index = each.value}).shape);
  });
  return same ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace opsrun::host
