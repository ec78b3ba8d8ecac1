// host/gradcheck/check_op.h: is the gradient that an op declares right?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/dtype.h"
#include "host/gradcheck/check_problem.h"
#include "host/gradient/node_gradient.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

struct OpCheckOptions {
  uint64_t seed = 0;          // of the first problem that is drawn; the next ones have the numbers after it
  int problems = 10;          // for each type
  int draws = 20'000;         // that are tried for them
  std::optional<DType> type;  // one type instead of all
};

// The result for one type.
struct OpCheck {
  enum class Kind {
    kRight,
    kWrong,
    kInvalid,     // what the op declares cannot be used for the type: see verdict.diagnostics
    kNotChecked,  // no problem was found that the op accepts and that can be measured: see verdict.message
    kNoKernel,    // the op has no kernel for the type
  };
  DType type = DType::kInvalid;
  Kind kind = Kind::kNotChecked;
  int problems = 0;         // that were checked
  int kinks = 0;            // problems that could not be measured, and others were drawn instead
  uint64_t seed = 0;        // of the worst problem
  GradientVerdict verdict;  // of the worst problem
  std::string node;         // of the worst problem: "x float32 [2, 3], axis = [1]; keep_dims: true"
};

// One result for each type with gradients that the op's spec allows. ops: all of its plugin, those of its gradient, and
// DifferentiationOps(). Requires: the op declares a gradient.
std::vector<OpCheck> CheckOp(Engine& engine, const RegisteredOp& op, const GradientOps& ops,
                             const OpCheckOptions& options);

}  // namespace opsrun::host
