// host/gradcheck/report.h: the results of gradient checks, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/gradcheck/check_op.h"

namespace opsrun::host {

// The results for an op of a plugin file.
struct CheckedOp {
  std::string file;
  const RegisteredOp* op = nullptr;
  bool checked = false;         // false: it declares no gradient, or needs none
  Diagnostics invalid;          // errors in the declared gradient; `checks` is then empty
  std::vector<OpCheck> checks;  // by type
};

// False if a gradient is wrong, invalid, or could not be checked for any type.
bool Passed(const CheckedOp& op);

// A line for each op: the types, how many problems were checked, the worst result.
std::string GradcheckText(const std::vector<CheckedOp>& ops);

// One JSON array with an object for each op.
std::string GradcheckJson(const std::vector<CheckedOp>& ops);

// The same for the check of a graph.
std::string VerdictText(const GradientVerdict& verdict);
std::string VerdictJson(const GradientVerdict& verdict);
// R507 or R508; nothing if the gradient is right.
std::optional<Diagnostic> DescribeVerdict(const GradientVerdict& verdict);

// The errors of an op that failed, with places in GradientSource(op): those of an invalid gradient, or R507 or R508 for
// the first failed type, which mentions the others.
std::vector<Diagnostic> DescribeOp(const CheckedOp& op);

}  // namespace opsrun::host
