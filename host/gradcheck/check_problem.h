// host/gradcheck/check_problem.h: is the gradient of a graph right at one point? Read this first.
//
// The Jacobian that follows from declared gradients is compared with one that is measured, in float64 if the ops have
// kernels for it, whatever the type of the graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/engine/engine.h"
#include "host/gradient/differentiate.h"
#include "host/graph/graph.h"

namespace opsrun::host {

struct GradientProblem {
  std::shared_ptr<const Graph> graph;
  GradientRequest request;               // wrt: declared feeds; without gradients of `of`
  std::map<std::string, Tensor> values;  // of all declared feeds
};

struct GradientVerdict {
  enum class Kind {
    kRight,
    kWrong,     // numbers differ
    kInvalid,   // what ops declare is no gradient: see `diagnostics`
    kUnusable,  // nothing can be said at this point: a kink, a number that is not finite, a failing kernel
  };
  Kind kind = Kind::kUnusable;
  double worst = 0;      // the largest |declared - measured| / max(1, |measured|)
  double tolerance = 0;  // for it
  std::string message;   // kWrong, kUnusable: a sentence
  std::string element;   // kWrong: "d z[0, 1] / d x[2]: declared 1.5, measured 3"
  std::string looks;     // kWrong: what all wrong entries have in common; may be empty
  std::string input;     // kWrong: whose gradient is wrong
  Diagnostics diagnostics;
};

GradientVerdict CheckProblem(Engine& engine, const GradientProblem& problem);

// How far a declared derivative may be off, relative to max(1, |measured|).
double GradientTolerance(DType dtype, bool measured_precisely);

}  // namespace opsrun::host
