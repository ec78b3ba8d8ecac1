// host/run/constant_runner.h: runs a small plan once, on the calling thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/device/device.h"
#include "host/plan/fold.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

class ConstantRunner final : public RunAhead {
 public:
  // Both outlive this object.
  ConstantRunner(Device& device, const opsrun_host* host) : device_(device), host_(host) {}

  // The outputs of the plan, in their own memory; nothing if a kernel fails or memory runs out. If a kernel refuses its
  // inputs or attrs (INVALID_ARGUMENT, OUT_OF_RANGE), an error is added. Requires: no declared feeds.
  std::optional<std::vector<Tensor>> Run(const Plan& plan, Diagnostics& diagnostics) override;

 private:
  Device& device_;
  const opsrun_host* const host_;
};

}  // namespace opsrun::host
