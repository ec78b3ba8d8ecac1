// host/gradcheck/check_op.h: checks the gradient that an op declares, and that of a whole graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "host/base/dtype.h"
#include "host/engine/loaded_graph.h"
#include "host/gradcheck/check_problem.h"
#include "host/gradient/node_gradient.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

struct OpCheckOptions {
  uint64_t seed = 0;          // of the first problem; later ones use the following numbers
  int problems = 10;          // problems to check for each type
  int draws = 20'000;         // attempts to find them
  std::optional<DType> type;  // check only this type
};

// The result for one type.
struct OpCheck {
  DType type = DType::kInvalid;
  int problems = 0;         // problems checked
  int kinks = 0;            // problems replaced by others because they could not be measured
  uint64_t seed = 0;        // of the worst problem
  GradientVerdict verdict;  // of the worst problem
  std::string node;         // of the worst problem: "x float32 [2, 3], axis = [1]; keep_dims: true"
};

// One result for each type with gradients that the op's spec allows. ops: includes all ops of its plugin, those of its
// gradient, and DifferentiationOps(). Requires: the op declares a gradient.
std::vector<OpCheck> CheckOp(Engine& engine, const RegisteredOp& op, const GradientOps& ops,
                             const OpCheckOptions& options);

// Checks a graph at the values of its feeds. request.wrt: feeds. Declared feeds get random values, and size 2 where
// their size is unknown. Nothing after errors, which are in graph.diagnostics(): those of planning and differentiating,
// and G306 for a `wrt` that is not a feed.
std::optional<GradientVerdict> CheckGraph(LoadedGraph& graph, const GradientRequest& request, uint64_t seed);

}  // namespace opsrun::host
