// host/run/lane_impl.h: the inside of a lane, and what the slots of a running call do to it. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "host/plan/call_arrays.h"
#include "host/run/buffer.h"
#include "host/run/lane.h"
#include "host/run/views.h"

namespace opsrun::host {

// What a run does after a step with outputs of late shape, or before which such outputs are read for the last time.
struct DynamicStep {
  std::vector<DynamicView*> made;      // its outputs: there must be a buffer now
  std::vector<DynamicView*> released;  // nobody reads them after this step
};

// One step as the run loop sees it.
struct LaneStep {
  int32_t (*compute)(void*, opsrun_call*) = nullptr;
  void* object = nullptr;
  opsrun_call* call = nullptr;
  const DynamicStep* dynamic = nullptr;  // null: all is planned
};

struct Lane::Impl {
  Impl(const Plan& plan, Device& device, const opsrun_host* host);
  ~Impl();

  Status Build();
  std::optional<RunFailure> Run();

  // The slots of a call; each answers a code and records its failure.
  int32_t Fail(const opsrun_call* call, int32_t code, std::string text, std::string subject);
  int32_t AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(opsrun_call* call, uint32_t i, const opsrun_tensor* t);
  int32_t ForwardInput(opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                       opsrun_tensor** view);
  int32_t AllocateTemp(opsrun_call* call, int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t);

  const Plan& plan;
  Device& device;
  const opsrun_host* host;

  void* slab = nullptr;
  size_t slab_bytes = 0;
  void* arena = nullptr;
  std::vector<LaneStep> steps;  // calls at rising addresses
  std::vector<std::unique_ptr<DynamicStep>> dynamic_steps;
  std::vector<DynamicView*> dynamic_views;         // all of them
  std::vector<DynamicView*> results;               // those that outlive the run
  std::vector<const opsrun_tensor*> views;         // by value
  std::vector<std::unique_ptr<TensorView>> feeds;  // constants and declared feeds, by their order in the plan's values
  BufferPool pool;

 private:
  void Place(class Slab& slab);
  void PlaceStep(class Slab& slab, uint32_t s);
  opsrun_tensor* PlaceOutput(class Slab& slab, const PlanValue& value);
  void CollectDynamic();
  bool AfterDynamicStep(const LaneStep& step);
  void FailForMissingOutput(const LaneStep& step);
  RunFailure Failed(const LaneStep& step, int32_t code);
  void Unallocate(DynamicView* view);
  void ResetAll(const std::vector<DynamicView*>& which);
  uint32_t StepOf(const opsrun_call* call) const;
  int32_t OutputError(const opsrun_call* call, uint32_t i, Status status);
  std::string OutputName(const opsrun_call* call, uint32_t i) const;

  std::mutex mutex_;  // guards failure_: kernels may fail from several threads
  std::optional<RunFailure> failure_;
};

}  // namespace opsrun::host
