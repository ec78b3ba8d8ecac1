// host/gradient/own_nodes.cc: the nodes and constants of gradients that no op declares: sums, ones and zeros.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/gradient/differentiate.h"
#include "host/gradient/gradient_text.h"
#include "host/gradient/node_gradient.h"
#include "host/graph/tensor_value.h"
#include "host/plan/explain/explain.h"
#include "host/yaml/value.h"

namespace opsrun::host {

namespace {

struct Written {
  const Node sum{.op = {"AddN", {}}}, ones{.op = {"OnesLike", {}}}, zeros{.op = {"ZerosLike", {}}};
};

const Written& Own() {
  static const Written own;
  return own;
}

}  // namespace

const std::vector<std::string>& DifferentiationOps() {
  static const std::vector<std::string> ops = {Own().sum.op.value, Own().ones.op.value, Own().zeros.op.value};
  return ops;
}

OwnNodes::OwnNodes(const Graph& original, const Resolution& resolution, const GradientOps& ops, DerivedGraph& graph,
                   Diagnostics& diagnostics)
    : original_(original),
      resolution_(resolution),
      ops_(ops),
      graph_(graph),
      diagnostics_(diagnostics),
      places_(resolution.values.size()) {
  for (size_t i = 0; i < resolution.feed_values.size(); ++i) {
    if (resolution.feed_values[i] != ResolvedNode::kNone)
      places_[resolution.feed_values[i]] = &original.feeds[i].name.span;
  }
  for (size_t i = 0; i < resolution.nodes.size(); ++i) {
    const ResolvedNode& node = resolution.nodes[i];
    if (node.signature != nullptr)
      std::fill_n(places_.begin() + node.first_output, node.signature->out_types.size(), &original.nodes[i].name.span);
  }
}

std::optional<DerivedTensor> OwnNodes::Filled(uint32_t value, int number, const std::string& name) {
  const ResolvedValue& like = resolution_.values[value];
  Shape shape;
  for (const ResolvedDim& dim : like.shape.dims) shape.push_back(dim.size);
  if (like.shape.rank_known && IsWhole(shape)) {
    if (auto filled = AddFilled(shape, like.dtype, number, name)) return filled;
  }
  return MakeNode(number == 0 ? Own().zeros : Own().ones, {graph_.ValueOf(value)}, name, value);
}

// Nothing if out of memory.
std::optional<DerivedTensor> OwnNodes::AddFilled(const Shape& shape, DType dtype, int number, const std::string& name) {
  Diagnostics ignored;
  Reporter reporter(*original_.source, ignored);
  Feed feed;
  feed.source = shape.empty() ? Feed::Source::kValue : Feed::Source::kFill;
  feed.dtype = {dtype, {}};
  if (!shape.empty()) feed.shape = {shape, {}};
  std::optional<Tensor> filled = ReadFillValue(PlainValue(std::to_string(number)), dtype, {shape, {}}, reporter);
  if (!filled) return std::nullopt;
  feed.value = *std::move(filled);
  return graph_.AddConstant(name, std::move(feed));
}

std::optional<DerivedTensor> OwnNodes::Sum(uint32_t value, std::vector<DerivedTensor> parts, const std::string& name) {
  return MakeNode(Own().sum, std::move(parts), name, value);
}

std::optional<DerivedTensor> OwnNodes::MakeNode(const Node& written, std::vector<DerivedTensor> inputs,
                                                const std::string& name, uint32_t value) {
  const Span& place = PlaceOf(value);
  const auto fail = [&](Diagnostic error) {
    error.file = original_.source->path;
    error.where = place;
    diagnostics_.all().push_back(std::move(error));
    return std::nullopt;
  };
  NodeRequest request;
  request.op = ops_.loaded.registry.FindOp(written.op.value);
  if (request.op == nullptr) {
    Diagnostic error = NoOp(written.op.value, nullptr, ops_.catalog);
    error.label.clear();  // it refers to an op, but the place is of another kind
    error.message += fmt::format("; the gradient of '{}' needs it", graph_.NameOf(value));
    return fail(std::move(error));
  }
  request.written = &written;
  request.place = &place;
  spec::InputTypes types{request.op->def.inputs[0].is_list(), {}};
  for (const DerivedTensor& input : inputs) types.types.push_back(input.dtype);
  std::vector<spec::InferError> errors;
  request.signature = graph_.signatures().Infer(request.op->def, {std::move(types)}, {}, &errors);
  if (request.signature == nullptr) return fail(MakeError("G302", errors[0].message));
  request.name = name;
  request.inputs = std::move(inputs);
  const MadeNode made = graph_.Add(std::move(request));
  if (made.op == nullptr)
    return fail(MakeError("G302", "the gradient has too many nodes", "differentiate a smaller graph"));
  return made.Output(0);
}

}  // namespace opsrun::host
