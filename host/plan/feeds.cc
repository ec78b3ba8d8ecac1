// host/plan/feeds.cc: feeds become values: constants that are read now, and declared ones that each run is given.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/graph/read_shape.h"
#include "host/plan/explain/file_help.h"
#include "host/plan/planning.h"
#include "host/tensor/npy.h"
#include "host/tensor/npz.h"

namespace opsrun::host {
namespace {

// Compares what a file or a caller gives with what the graph says of the feed.
bool CheckDeclaration(Planning& p, const Feed& feed, const FeedType& given, const std::string& source) {
  const std::string& name = feed.name.value;
  const std::string holds = fmt::format("{} {} {}", source, DTypeName(given.dtype), ShapeText(given.shape));
  if (feed.dtype && feed.dtype->value != given.dtype) {
    const std::string has = DTypeName(given.dtype);
    const std::string declared = DTypeName(feed.dtype->value);
    Diagnostic& error = p.Error("F202", fmt::format("feed '{}' is {}, the graph declares {}", name, has, declared),
                                feed.dtype->span, "declared here");
    error.help.push_back(fmt::format("declare dtype: {}, or save the array as {}", has, declared));
    if (IsFloat8(feed.dtype->value) && DTypeSize(given.dtype) == 1) {
      error.help.push_back(fmt::format("if its bytes are {} numbers, say so: array.view('V1')", declared));
    }
    error.notes.push_back(holds);
    return false;
  }
  if (feed.shape && !ShapeAllows(feed.shape->value, given.shape)) {
    const std::string has = ShapeText(given.shape);
    Diagnostic& error = p.Error(
        "F203", fmt::format("feed '{}' has shape {}, the graph declares {}", name, has, ShapeText(feed.shape->value)),
        feed.shape->span, "declared here");
    error.help.push_back(fmt::format("declare shape: {}, or give an array of the declared shape", has));
    error.notes.push_back(holds);
    return false;
  }
  return true;
}

std::optional<Tensor> ReadFeedFile(Planning& p, const Feed& feed) {
  GraphConstants* const known = p.in.constants;
  if (known != nullptr) {
    if (std::optional<Tensor> array = known->Find(feed.name.value)) return array;
  }
  const std::string path = p.graph.Resolve(feed.path.value);
  std::optional<DType> as;
  if (feed.dtype) as = feed.dtype->value;
  const bool npz = feed.source == Feed::Source::kNpz;
  Result<Tensor> tensor = npz ? ReadNpz(path, feed.key.value, as) : ReadNpy(path, as);
  if (!tensor.ok()) {
    const bool key = tensor.status().subject() == "key";
    Diagnostic& error =
        p.Error("F201", fmt::format("feed '{}' cannot be read: {}", feed.name.value, tensor.status().message()),
                key ? feed.key.span : feed.path.span);
    AddFileHelp(tensor.status(), npz, error);
    return std::nullopt;
  }
  if (!CheckDeclaration(p, feed, {tensor->dtype(), tensor->shape()}, path + " holds")) return std::nullopt;
  if (known != nullptr) known->Keep(feed.name.value, *tensor);
  return *std::move(tensor);
}

uint32_t AddConstant(Planning& p, Tensor tensor) {
  const uint32_t value = p.AddValue(tensor.dtype(), p.shapes.FromSizes(tensor.shape()));
  p.plan.values[value].memory = PlanValue::Memory::kConstant;
  p.plan.values[value].shape = tensor.shape();
  p.plan.values[value].offset = p.plan.constants.size();
  p.fold_cost[value] = 0;
  p.plan.constants.push_back(std::move(tensor));
  return value;
}

// A declared feed: planned for what the caller has already, if there is any, otherwise for its declaration.
uint32_t AddDeclared(Planning& p, const Feed& feed) {
  const auto given = p.in.feeds.find(feed.name.value);
  if (given != p.in.feeds.end() && !CheckDeclaration(p, feed, given->second, "what is given is")) {
    return PlanValue::kNone;
  }
  const bool known = given != p.in.feeds.end();
  const bool rank_known = known || feed.shape.has_value();
  const Shape shape = known ? given->second.shape : rank_known ? feed.shape->value : Shape{};
  const DType dtype = known ? given->second.dtype : feed.dtype->value;
  const uint32_t value = p.AddValue(dtype, rank_known ? p.shapes.FromSizes(shape) : p.shapes.Unknown());
  p.plan.values[value].memory = PlanValue::Memory::kFeed;
  p.plan.values[value].shape = shape;
  p.plan.values[value].rank_known = rank_known;
  p.plan.declared_feeds.push_back({feed.name.value, value});
  return value;
}

uint32_t AddFeed(Planning& p, const Feed& feed) {
  switch (feed.source) {
    case Feed::Source::kNpy:
    case Feed::Source::kNpz: {
      std::optional<Tensor> tensor = ReadFeedFile(p, feed);
      return tensor ? AddConstant(p, *std::move(tensor)) : PlanValue::kNone;
    }
    case Feed::Source::kDeclared:
      return AddDeclared(p, feed);
    default:
      return AddConstant(p, feed.value);
  }
}

}  // namespace

void PlanFeeds(Planning& p) {
  p.feed_values.reserve(p.graph.feeds.size());
  for (const Feed& feed : p.graph.feeds) p.feed_values.push_back(AddFeed(p, feed));
}

}  // namespace opsrun::host
