// host/gradcheck/check_problem.h: checks the gradient of a graph at one point. Read this first.
//
// Compares the Jacobian that follows from declared gradients with a measured one. Measures in float64, whatever the
// type of the graph, if the ops have kernels for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/base/diagnostic.h"
#include "host/engine/engine.h"
#include "host/gradient/differentiate.h"
#include "host/graph/graph.h"

namespace opsrun::host {

struct GradientProblem {
  std::shared_ptr<const Graph> graph;
  GradientRequest request;               // wrt: declared feeds; `of` without gradients
  std::map<std::string, Tensor> values;  // of all declared feeds
};

struct GradientVerdict {
  enum class Kind {
    kRight,
    kWrong,       // numbers differ
    kInvalid,     // a declared gradient is invalid: see `diagnostics`
    kNotChecked,  // inconclusive: a kink, a number that is not finite, a failing kernel, or no usable problem
    kNoKernel,    // the op has no kernel for the type
  };
  Kind kind = Kind::kNotChecked;
  double worst = 0;      // the largest |declared - measured| / max(1, |measured|)
  double tolerance = 0;  // for `worst`
  std::string message;   // kWrong, kNotChecked: a sentence
  std::string element;   // kWrong: "d z[0, 1] / d x[2]: declared 1.5, measured 3"
  std::string looks;     // kWrong: what all wrong entries have in common; may be empty
  std::string input;     // kWrong: the input whose gradient is wrong
  Diagnostics diagnostics;
};

GradientVerdict CheckProblem(Engine& engine, const GradientProblem& problem);

}  // namespace opsrun::host
