// host/plan/feeds_and_outputs.cc: turns feeds into values: constants that are read now, and declared feeds that each
// run is given. Plans outputs and checks.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/graph/tensor_value.h"
#include "host/plan/explain/blame.h"
#include "host/plan/planning.h"
#include "host/tensor/npy.h"
#include "host/tensor/npz.h"

namespace opsrun::host {
namespace {

// Compares the array from a file or a caller with the declaration of the feed.
bool CheckDeclaration(Planning& p, const Feed& feed, const FeedType& given, const std::string& source) {
  const std::string& name = feed.name.value;
  const std::string holds = fmt::format("{} {} {}", source, DTypeName(given.dtype), ShapeText(given.shape));
  if (feed.dtype && feed.dtype->value != given.dtype) {
    const std::string has = DTypeName(given.dtype);
    const std::string declared = DTypeName(feed.dtype->value);
    Diagnostic& error = p.Error("F202", fmt::format("feed '{}' is {}, but the graph declares {}", name, has, declared),
                                feed.dtype->span, "declared here");
    error.help.push_back(fmt::format("declare dtype: {}, or save the array as {}", has, declared));
    if (IsFloat8(feed.dtype->value) && DTypeSize(given.dtype) == 1) {
      error.help.push_back(fmt::format("if its bytes are {} numbers, mark them as such: array.view('V1')", declared));
    }
    error.notes.push_back(holds);
    return false;
  }
  if (feed.shape && !ShapeAllows(feed.shape->value, given.shape)) {
    const std::string has = ShapeText(given.shape);
    Diagnostic& error = p.Error(
        "F203",
        fmt::format("feed '{}' has shape {}, but the graph declares {}", name, has, ShapeText(feed.shape->value)),
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

// Plans a declared feed for the array that the caller already has, if any, else for its declaration.
uint32_t AddDeclared(Planning& p, const Feed& feed) {
  const auto given = p.in.feeds.find(feed.name.value);
  if (given != p.in.feeds.end() && !CheckDeclaration(p, feed, given->second, "the array is")) {
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

// Outputs.

std::optional<uint32_t> FindSingleValue(Planning& p, const Reference& from) {
  if (p.names.find(from.name) == p.names.end()) {
    if (!p.LeftOut(from.name)) p.ReportUnknownName(from.name, from.span);
    return std::nullopt;
  }
  bool list = false;
  const std::optional<std::vector<uint32_t>> values = FindValues(p, from, &list);
  if (!values) return std::nullopt;
  if (!list) return values->front();
  const spec::OpDef& op = p.nodes[p.names.at(from.name).index].op->def;
  const std::string name = from.output.empty() ? op.outputs.front().name : from.output;
  p.Error("G208", fmt::format("output '{}' of node '{}' is a list of {}", name, from.name, values->size()), from.span)
      .help.push_back(fmt::format("choose an element, such as '{}.{}.0'", from.name, name));
  return std::nullopt;
}

void PlanOutputs(Planning& p) {
  for (const GraphOutput& output : p.graph.outputs) {
    const std::optional<uint32_t> value = FindSingleValue(p, output.from);
    if (!value) continue;
    const DType dtype = p.plan.values[*value].dtype;
    if (!HasValues(dtype)) {
      p.Error("G221", fmt::format("'{}' is {}, which has no value outside a run", output.name.value, DTypeName(dtype)),
              output.from.span)
          .help.push_back("pass it to a node that reads it, and use that node's output");
      continue;
    }
    p.plan.values[*value].kept = true;
    p.plan.outputs.push_back({&output, *value});
  }
}

// Checks: what to compare, and the expected values.

namespace {

std::string NameOf(const GraphCheck& check) {
  const std::string output = check.from.output.empty() ? "" : "." + check.from.output;
  return check.from.name + output + (check.from.index < 0 ? "" : fmt::format(".{}", check.from.index));
}

std::optional<Tensor> ReadFile(Planning& p, const GraphCheck& check, DType dtype) {
  const Located<std::string>& file = check.npz ? *check.npz : *check.npy;
  const std::string path = p.graph.Resolve(file.value);
  Result<Tensor> tensor = check.npz ? ReadNpz(path, check.key.value, dtype) : ReadNpy(path, dtype);
  if (tensor.ok()) return *std::move(tensor);
  const bool key = tensor.status().subject() == "key";
  Diagnostic& error = p.Error(
      "G115", fmt::format("the expected value of '{}' cannot be read: {}", NameOf(check), tensor.status().message()),
      key ? check.key.span : file.span);
  AddFileHelp(tensor.status(), check.npz.has_value(), error);
  return std::nullopt;
}

// Rewrites errors about numbers, which are about a check, not about a feed.
std::optional<Tensor> ReadWritten(Planning& p, const GraphCheck& check, DType dtype) {
  const size_t before = p.diagnostics.all().size();
  Reporter reporter(*p.graph.source, p.diagnostics);
  std::optional<Tensor> tensor = ReadTensorValue(check.value, dtype, reporter);
  for (size_t i = before; i < p.diagnostics.all().size(); ++i) {
    Diagnostic& error = p.diagnostics.all()[i];
    error.notes.push_back(fmt::format("'{}' is {}", NameOf(check), DTypeName(dtype)));
    const bool of_dtype = error.code == "F106" && error.help.front().find("dtype") != std::string::npos;
    if (of_dtype) error.help = {"write a value of that type"};  // a check has no dtype
  }
  return tensor;
}

bool IsOfType(Planning& p, const GraphCheck& check, DType dtype, const Tensor& expected) {
  if (expected.dtype() == dtype) return true;
  p.Error("G114",
          fmt::format("'{}' is {}, but the expected value is {}", NameOf(check), DTypeName(dtype),
                      DTypeName(expected.dtype())),
          check.expected_span)
      .help.push_back(fmt::format("save the expected array as {}", DTypeName(dtype)));
  return false;
}

// Compares only what is known about the shape before the run.
bool IsOfShape(Planning& p, const GraphCheck& check, const PlanValue& value, const Tensor& expected) {
  if (!value.rank_known || ShapeAllows(value.shape, expected.shape())) return true;
  const bool is_feed = value.memory == PlanValue::Memory::kConstant || value.memory == PlanValue::Memory::kFeed;
  const char* if_right = is_feed ? "" : "; if the expected value is right, the op's shape function is wrong";
  p.Error("G114",
          fmt::format("'{}' has shape {}, but the expected value has shape {}", NameOf(check), ShapeText(value.shape),
                      ShapeText(expected.shape())),
          check.expected_span)
      .help.push_back(fmt::format("write an expected value of that shape{}", if_right));
  return false;
}

void RefuseType(Planning& p, const GraphCheck& check, DType dtype) {
  p.Error("G114", fmt::format("'{}' is {}, which checks cannot compare", NameOf(check), DTypeName(dtype)),
          check.from.span)
      .help.push_back("leave this check out");
}

void PlanOneCheck(Planning& p, const GraphCheck& check) {
  const std::optional<uint32_t> index = FindSingleValue(p, check.from);
  if (!index) return;
  PlanValue& value = p.plan.values[*index];
  if (!HasValues(value.dtype)) return RefuseType(p, check, value.dtype);
  std::optional<Tensor> expected =
      check.npy || check.npz ? ReadFile(p, check, value.dtype) : ReadWritten(p, check, value.dtype);
  if (!expected || !IsOfType(p, check, value.dtype, *expected) || !IsOfShape(p, check, value, *expected)) return;
  Tolerance tolerance = DefaultTolerance(value.dtype);
  tolerance.rtol = check.rtol.value_or(tolerance.rtol);
  tolerance.atol = check.atol.value_or(tolerance.atol);
  tolerance.equal_nan = check.equal_nan;
  value.kept = true;
  p.plan.checks.push_back({&check, NameOf(check), *index, *std::move(expected), tolerance});
}

}  // namespace

void PlanChecks(Planning& p) {
  for (const GraphCheck& check : p.graph.checks) PlanOneCheck(p, check);
}

}  // namespace opsrun::host
