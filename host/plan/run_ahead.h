// host/plan/run_ahead.h: what planning asks of whoever can run a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/plan/plan.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// Planning runs nodes on constants where a shape function asks for their values. The room `run` implements this.
class RunAhead {
 public:
  virtual ~RunAhead() = default;

  // Runs a plan that needs no feeds and gives its outputs. Nothing if it fails: with an error, if it would fail again in
  // every run.
  virtual std::optional<std::vector<Tensor>> Run(const Plan& plan, Diagnostics& diagnostics) = 0;
};

}  // namespace opsrun::host
