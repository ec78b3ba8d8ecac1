// host/run/lane.h: everything that one run of a plan at a time needs: frames, views, arena.
//
// Frames and views lie in one slab in step order, so that a run walks memory forwards; they are made once and used run
// after run. Lanes of one plan run at the same time; each lane runs for one caller at a time. Destroy lanes before
// their plan.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/device/device.h"
#include "host/plan/plan.h"
#include "host/resources/resources.h"
#include "host/run/shared_memory.h"
#include "host/run/stop_signal.h"
#include "host/tensor/tensor.h"
#include "host/threads/thread_pool.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// What lanes use and do not own.
struct LaneContext {
  Device* device = nullptr;
  const opsrun_host* host = nullptr;
  ThreadPool* pool = nullptr;        // null: the calling thread does all
  const StopSignal* stop = nullptr;  // null: nothing stops a run
  Resources* resources = nullptr;    // what kernels share; null: nothing
};

// Which step failed, and why.
struct RunFailure {
  uint32_t step = 0;
  Status status;
  uint32_t others = 0;              // steps that failed at the same time, on other threads
  std::vector<std::string> inputs;  // of that step, lists flattened: "int32 [2, 3]"
};

// When a step ran, in nanoseconds of the steady clock, and on which thread: 0 is the caller, workers follow.
struct StepTime {
  int64_t begin = 0;
  int64_t end = 0;
  int32_t thread = 0;
};

class Lane {
 public:
  // RESOURCE_EXHAUSTED if there is no memory for it. What `context` names outlives the lane.
  static Result<std::unique_ptr<Lane>> Create(const Plan& plan, const LaneContext& context);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  // Gives a declared feed its tensor for the runs that follow. INVALID_ARGUMENT, naming found and expected, if data
  // type or shape do not fit; NOT_FOUND if the plan declares no such feed.
  Status SetFeed(const std::string& name, const Tensor& tensor);

  // Gives declared feed i of the plan memory of the caller's, which is borrowed for the runs that follow: dense,
  // row-major, aligned as its elements are. Requires: data type and shape fit the feed.
  void BindFeed(size_t i, DType dtype, int32_t rank, const int64_t* shape, void* data);
  // Lets output i of the plan be written to `memory`, aligned to 64 bytes, in the runs that follow; null: to the lane's
  // own. False if that cannot be, since the shape is not known before the run, or no kernel makes the output.
  bool BindOutput(size_t i, void* memory);
  // What ends the runs that follow; null: nothing does.
  void SetStop(const StopSignal* stop);

  // Runs every step once, on the threads of the pool if there is something to share. Requires: every declared feed is
  // set. After a failure no further step is begun, and the lane can run again. CANCELLED once the signal says stop.
  std::optional<RunFailure> Run();
  // The same, and notes when each step ran; of a step that did not, begin is 0.
  std::optional<RunFailure> RunTimed(std::vector<StepTime>& times);

  // The steps that are running just now. From any thread; a step that begins or ends meanwhile may be in it or not.
  std::vector<uint32_t> Running() const;

  // Output i of the plan as it lies, until the next run. Requires: the last Run succeeded.
  const opsrun_tensor& OutputView(size_t i) const;
  // A share in the memory of output i; none if that is the lane's own, or a feed. Requires the same.
  SharedMemory ShareOutput(size_t i) const;

  // Output i of the plan, copied. Requires: the last Run succeeded, and no other was begun.
  Result<Tensor> Output(size_t i) const;
  // The same of a value of the plan. Requires also: it is a result or a feed.
  Result<Tensor> Value(uint32_t value) const;

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
