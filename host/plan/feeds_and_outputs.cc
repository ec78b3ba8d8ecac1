// host/plan/feeds_and_outputs.cc: turns feeds into values: constants that are read now, and declared feeds that each
// run is given. Plans outputs and checks.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/graph/tensor_value.h"
#include "host/plan/planning.h"
#include "host/tensor/npy.h"

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

// Nothing after an error "<what> cannot be read". key: in an archive; null: the file is one array.
std::optional<Tensor> ReadArray(Planning& p, const Located<std::string>& file, const Located<std::string>* key,
                                std::optional<DType> as, Code code, const std::string& what) {
  const std::string path = p.graph.Resolve(file.value);
  MappedFiles* const mapped = p.in.constants != nullptr ? p.in.constants->mapped() : nullptr;
  Result<Tensor> tensor = key != nullptr ? ReadNpz(path, key->value, as, mapped) : ReadNpy(path, as, mapped);
  if (tensor.ok()) return *std::move(tensor);
  const bool of_key = tensor.status().subject() == "key";
  Diagnostic& error = p.Error(code, fmt::format("{} cannot be read: {}", what, tensor.status().message()),
                              of_key ? key->span : file.span);
  AddFileHelp(tensor.status(), key != nullptr, error);
  return std::nullopt;
}

std::optional<Tensor> ReadFeedFile(Planning& p, const Feed& feed) {
  GraphConstants* const known = p.in.constants;
  if (known != nullptr) {
    if (std::optional<Tensor> array = known->Find(feed.name.value)) return array;
  }
  const Located<std::string>* const key = feed.source == Feed::Source::kNpz ? &feed.key : nullptr;
  const std::optional<DType> as = feed.dtype ? std::optional(feed.dtype->value) : std::nullopt;
  std::optional<Tensor> tensor = ReadArray(p, feed.path, key, as, "F201", fmt::format("feed '{}'", feed.name.value));
  if (!tensor) return std::nullopt;
  const std::string holds = p.graph.Resolve(feed.path.value) + " holds";
  if (!CheckDeclaration(p, feed, {tensor->dtype(), tensor->shape()}, holds)) return std::nullopt;
  if (known != nullptr) known->Keep(feed.name.value, *tensor);
  return tensor;
}

uint32_t AddConstant(Planning& p, Tensor tensor) {
  const uint32_t value = p.AddValue(tensor.dtype(), p.shapes.FromSizes(tensor.shape()));
  p.plan.values[value].memory = PlanValue::Memory::kConstant;
  p.plan.values[value].sizes = p.plan.Keep(tensor.shape());
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
  if (known) p.plan.values[value].device = IndexOfDevice(p.plan, given->second.device);
  p.plan.values[value].memory = PlanValue::Memory::kFeed;
  p.plan.values[value].sizes = p.plan.Keep(shape);
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
  const auto target = p.names.find(from.name);
  if (target == p.names.end()) {
    if (!p.LeftOut(from.name)) p.ReportUnknownName(from.name, from.span);
    return std::nullopt;
  }
  bool list = false;
  const std::optional<std::vector<uint32_t>> values = FindValues(p, from, target->second, &list);
  if (!values) return std::nullopt;
  if (!list) return values->front();
  const spec::OpDef& op = p.nodes[target->second.index].op->def;
  const std::string name = from.output.empty() ? op.outputs.front().name : from.output;
  return p.Refuse("G208", fmt::format("output '{}' of node '{}' is a list of {}", name, from.name, values->size()),
                  from.span, fmt::format("choose an element, such as '{}.{}.0'", from.name, name));
}

void PlanOutputs(Planning& p) {
  for (const GraphOutput& output : p.graph.outputs) {
    const std::optional<uint32_t> value = FindSingleValue(p, output.from);
    if (!value) continue;
    const DType dtype = p.plan.values[*value].dtype;
    if (!HasValues(dtype) && !(p.in.handle_outputs && HasHandles(dtype))) {
      p.Refuse("G221", fmt::format("'{}' is {}, which has no value outside a run", output.name.value, DTypeName(dtype)),
               output.from.span, "pass it to a node that reads it, and use that node's output");
      continue;
    }
    p.plan.values[*value].kept = true;
    p.plan.outputs.push_back({&output, *value});
  }
}

// Checks: what to compare, and the expected values.

namespace {

// Rewrites errors about numbers, which are about a check, not about a feed.
std::optional<Tensor> ReadWritten(Planning& p, const GraphCheck& check, DType dtype) {
  const size_t before = p.diagnostics.all().size();
  std::optional<Tensor> tensor = ReadTensorValue(check.value, dtype, p.reporter);
  for (size_t i = before; i < p.diagnostics.all().size(); ++i) {
    Diagnostic& error = p.diagnostics.all()[i];
    error.notes.push_back(fmt::format("'{}' is {}", ReferenceText(check.from), DTypeName(dtype)));
    const bool of_dtype = error.code == "F106" && error.help.front().find("dtype") != std::string::npos;
    if (of_dtype) error.help = {"write a value of that type"};  // a check has no dtype
  }
  return tensor;
}

bool IsOfType(Planning& p, const GraphCheck& check, DType dtype, const Tensor& expected) {
  if (expected.dtype() == dtype) return true;
  return p.Refuse("G114",
                  fmt::format("'{}' is {}, but the expected value is {}", ReferenceText(check.from), DTypeName(dtype),
                              DTypeName(expected.dtype())),
                  check.expected_span, fmt::format("save the expected array as {}", DTypeName(dtype)));
}

// Compares only what is known about the shape before the run.
bool IsOfShape(Planning& p, const GraphCheck& check, const PlanValue& value, const Tensor& expected) {
  if (!value.rank_known || ShapeAllows(value.shape(), expected.shape())) return true;
  const bool is_feed = value.memory == PlanValue::Memory::kConstant || value.memory == PlanValue::Memory::kFeed;
  const char* if_right = is_feed ? "" : "; if the expected value is right, the op's shape function is wrong";
  return p.Refuse("G114",
                  fmt::format("'{}' has shape {}, but the expected value has shape {}", ReferenceText(check.from),
                              ShapeText(value.shape()), ShapeText(expected.shape())),
                  check.expected_span, fmt::format("write an expected value of that shape{}", if_right));
}

void RefuseType(Planning& p, const GraphCheck& check, DType dtype) {
  p.Refuse("G114", fmt::format("'{}' is {}, which checks cannot compare", ReferenceText(check.from), DTypeName(dtype)),
           check.from.span, "leave this check out");
}

void PlanOneCheck(Planning& p, const GraphCheck& check) {
  const std::optional<uint32_t> index = FindSingleValue(p, check.from);
  if (!index) return;
  PlanValue& value = p.plan.values[*index];
  if (!HasValues(value.dtype)) return RefuseType(p, check, value.dtype);
  std::optional<Tensor> expected;
  if (check.npy || check.npz) {
    expected = ReadArray(p, check.npz ? *check.npz : *check.npy, check.npz ? &check.key : nullptr, value.dtype, "G115",
                         fmt::format("the expected value of '{}'", ReferenceText(check.from)));
  } else {
    expected = ReadWritten(p, check, value.dtype);
  }
  if (!expected || !IsOfType(p, check, value.dtype, *expected) || !IsOfShape(p, check, value, *expected)) return;
  Tolerance tolerance = DefaultTolerance(value.dtype);
  tolerance.rtol = check.rtol.value_or(tolerance.rtol);
  tolerance.atol = check.atol.value_or(tolerance.atol);
  tolerance.equal_nan = check.equal_nan;
  value.kept = true;
  p.plan.checks.push_back({&check, ReferenceText(check.from), *index, *std::move(expected), tolerance});
}

}  // namespace

void PlanChecks(Planning& p) {
  for (const GraphCheck& check : p.graph.checks) PlanOneCheck(p, check);
}

}  // namespace opsrun::host
