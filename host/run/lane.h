// host/run/lane.h: everything that one run of a plan at a time needs: frames, views, arena.
//
// Frames and views lie in one slab in step order, so that a run walks memory forwards; they are made once and used run
// after run. One thread at a time. Destroy lanes before their plan.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/device/device.h"
#include "host/plan/plan.h"
#include "host/tensor/tensor.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Which step failed, and why.
struct RunFailure {
  uint32_t step = 0;
  Status status;
};

class Lane {
 public:
  // RESOURCE_EXHAUSTED if there is no memory for it. `device` outlives the lane.
  static Result<std::unique_ptr<Lane>> Create(const Plan& plan, Device& device, const opsrun_host* host);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  // Gives a declared feed its tensor for the runs that follow. INVALID_ARGUMENT, naming found and expected, if data
  // type or shape do not fit; NOT_FOUND if the plan declares no such feed.
  Status SetFeed(const std::string& name, const Tensor& tensor);

  // Runs every step once. Requires: every declared feed is set. After a failure the lane can run again.
  std::optional<RunFailure> Run();

  // Output i of the plan, copied. Requires: the last Run succeeded, and no other was begun.
  Result<Tensor> Output(size_t i) const;

  // Bytes of slab and arena, and of the buffers that dynamic outputs hold.
  size_t MemoryBytes() const;

  struct Impl;

 private:
  explicit Lane(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A failed run as a message that points into the graph: at the attr or input that the op blames, or at the op.
Diagnostic DescribeFailure(const Plan& plan, const RunFailure& failure);

}  // namespace opsrun::host
