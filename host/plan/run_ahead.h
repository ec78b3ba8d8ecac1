// host/plan/run_ahead.h: the interface through which planning runs plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/plan/plan.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// Planning runs nodes on constants if a shape function asks for their values. The room `run` implements this.
class RunAhead {
 public:
  virtual ~RunAhead() = default;

  // Runs a plan without feeds and returns its outputs. Nothing if it fails, with an error if it would also fail in
  // every run.
  virtual std::optional<std::vector<Tensor>> Run(const Plan& plan, Diagnostics& diagnostics) = 0;
};

}  // namespace opsrun::host
