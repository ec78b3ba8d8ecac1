// host/gradcheck/check_op.cc: see check_op.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradcheck/check_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/gradcheck/draw_problem.h"
#include "host/gradient/op_sample.h"
#include "host/graph/tensor_value.h"
#include "host/yaml/value.h"
#include "host/yaml/write_yaml.h"

namespace opsrun::host {
namespace {

using Kind = OpCheck::Kind;

constexpr int kMostKinks = 100;  // of an op that has them everywhere

// On one line, as a graph writes it.
std::string OneLine(const Value& value) {
  if (value.kind == Value::Kind::kScalar) return value.text;
  std::string text;
  for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + OneLine(item);
  for (const Value::Entry& entry : value.entries) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", entry.key, OneLine(entry.value));
  }
  return value.kind == Value::Kind::kMap ? "{" + text + "}" : "[" + text + "]";
}

std::string NodeText(const GradientProblem& problem) {
  std::string text;
  for (const Feed& feed : problem.graph->feeds) {
    const bool constant = feed.source == Feed::Source::kValue;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", feed.name.value, DTypeName(feed.dtype->value),
                        ShapeText(feed.shape->value));
    if (constant) text += " = " + OneLine(ElementsValue(feed.value));
  }
  std::string attrs;
  for (const NodeAttr& attr : problem.graph->nodes[0].attrs) {
    attrs += fmt::format("{}{}: {}", attrs.empty() ? "; " : ", ", attr.name.value, OneLine(attr.value));
  }
  return text + attrs;
}

bool HasKernel(const RegisteredOp& op, const Registry& registry, DType type) {
  const std::vector<const RegisteredKernel*>& kernels = registry.KernelsFor(op);
  return std::any_of(kernels.begin(), kernels.end(), [&](const RegisteredKernel* kernel) {
    return std::all_of(kernel->def.constraints.begin(), kernel->def.constraints.end(), [&](const auto& constraint) {
      const std::vector<DType> types = constraint.allowed.Types();
      const spec::AttrDef* const attr = op.def.FindAttr(constraint.attr);
      const bool free = attr == nullptr || (!attr->allowed_types.empty() &&
                                            std::find(attr->allowed_types.begin(), attr->allowed_types.end(), type) ==
                                                attr->allowed_types.end());
      return free || types.empty() || std::find(types.begin(), types.end(), type) != types.end();
    });
  });
}

class OpChecker {
 public:
  OpChecker(Engine& engine, const RegisteredOp& op, const GradientOps& ops, const OpCheckOptions& options)
      : engine_(engine), op_(op), ops_(ops), options_(options) {}

  OpCheck Check(DType type) {
    OpCheck check;
    check.type = type;
    if (!HasKernel(op_, ops_.loaded.registry, type)) {
      check.kind = Kind::kNoKernel;
      return check;
    }
    check.verdict.message = "no attrs and inputs were found that the op accepts";
    // What one type accepts, another one most likely accepts too.
    std::vector<uint64_t> seeds = std::exchange(accepted_, {});
    for (int i = 0; i < options_.draws; ++i) seeds.push_back(options_.seed + static_cast<uint64_t>(i));
    for (const uint64_t seed : seeds) {
      if (check.problems == options_.problems || check.kinks == kMostKinks || IsFinal(check)) break;
      const std::optional<GradientProblem> problem = DrawProblem(engine_, op_, ops_, type, seed);
      if (problem) Add(*problem, seed, check);
    }
    return check;
  }

 private:
  static bool IsFinal(const OpCheck& check) { return check.kind == Kind::kWrong || check.kind == Kind::kInvalid; }

  void Add(const GradientProblem& problem, uint64_t seed, OpCheck& check) {
    if (std::find(accepted_.begin(), accepted_.end(), seed) != accepted_.end()) return;
    GradientVerdict verdict = CheckProblem(engine_, problem);
    if (verdict.kind == GradientVerdict::Kind::kUnusable) {
      ++check.kinks;
      if (check.problems == 0) check.verdict.message = verdict.message;
      return;
    }
    accepted_.push_back(seed);
    ++check.problems;
    const bool right = verdict.kind == GradientVerdict::Kind::kRight;
    if (right && check.kind == Kind::kRight && verdict.worst <= check.verdict.worst) return;
    check.kind = right ? Kind::kRight : verdict.kind == GradientVerdict::Kind::kInvalid ? Kind::kInvalid : Kind::kWrong;
    check.seed = seed;
    check.node = NodeText(problem);
    check.verdict = std::move(verdict);
  }

  Engine& engine_;
  const RegisteredOp& op_;
  const GradientOps& ops_;
  const OpCheckOptions& options_;
  std::vector<uint64_t> accepted_;  // seeds of problems of the type before
};

}  // namespace

std::vector<OpCheck> CheckOp(Engine& engine, const RegisteredOp& op, const GradientOps& ops,
                             const OpCheckOptions& options) {
  OpChecker checker(engine, op, ops, options);
  std::vector<OpCheck> checks;
  for (const DType type : GradientTypes(op.def)) {
    if (!options.type || *options.type == type) checks.push_back(checker.Check(type));
  }
  return checks;
}

}  // namespace opsrun::host
