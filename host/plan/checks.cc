// host/plan/checks.cc: what the graph's checks compare, and with what.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/graph/read_shape.h"
#include "host/graph/read_tensor_value.h"
#include "host/plan/explain/file_help.h"
#include "host/plan/planning.h"
#include "host/tensor/npy.h"
#include "host/tensor/npz.h"

namespace opsrun::host {
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
      "G115", fmt::format("what '{}' is compared with cannot be read: {}", NameOf(check), tensor.status().message()),
      key ? check.key.span : file.span);
  AddFileHelp(tensor.status(), check.npz.has_value(), error);
  return std::nullopt;
}

// A number that does not fit is a mistake of the check, not of a feed.
std::optional<Tensor> ReadWritten(Planning& p, const GraphCheck& check, DType dtype) {
  const size_t before = p.diagnostics.all().size();
  Reporter reporter(*p.graph.source, p.diagnostics);
  std::optional<Tensor> tensor = ReadTensorValue(check.value, dtype, reporter);
  for (size_t i = before; i < p.diagnostics.all().size(); ++i) {
    Diagnostic& error = p.diagnostics.all()[i];
    error.notes.push_back(fmt::format("'{}' is {}", NameOf(check), DTypeName(dtype)));
    const bool of_dtype = error.code == "F106" && error.help.front().find("dtype") != std::string::npos;
    if (of_dtype) error.help = {"write a value of that type"};  // a check has none
  }
  return tensor;
}

bool IsOfType(Planning& p, const GraphCheck& check, DType dtype, const Tensor& expected) {
  if (expected.dtype() == dtype) return true;
  p.Error(
       "G114",
       fmt::format("'{}' is {}, it is compared with {}", NameOf(check), DTypeName(dtype), DTypeName(expected.dtype())),
       check.expected_span)
      .help.push_back(fmt::format("save the expected array as {}", DTypeName(dtype)));
  return false;
}

// Only as far as the shape is known before the run.
bool IsOfShape(Planning& p, const GraphCheck& check, const PlanValue& value, const Tensor& expected) {
  if (!value.rank_known || ShapeAllows(value.shape, expected.shape())) return true;
  const bool is_feed = value.memory == PlanValue::Memory::kConstant || value.memory == PlanValue::Memory::kFeed;
  const char* if_right = is_feed ? "" : "; if these are, the shape function of the op is wrong";
  p.Error("G114",
          fmt::format("'{}' has shape {}, it is compared with {}", NameOf(check), ShapeText(value.shape),
                      ShapeText(expected.shape())),
          check.expected_span)
      .help.push_back(fmt::format("write as many values as there will be{}", if_right));
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
