// host/run/lane_memory.h: all memory of a lane: calls, views, arenas. Private to this room.
//
// Calls and views are stored in one slab in step order, so that a run accesses memory sequentially.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "host/base/status.h"
#include "host/device/device.h"
#include "host/plan/call_arrays.h"
#include "host/plan/plan.h"
#include "host/run/lane_device.h"
#include "host/run/views.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

class Slab;

class LaneMemory {
 public:
  // cpu: the device of the CPU. shared: several threads use this object during a run.
  LaneMemory(const Plan& plan, Device& cpu, const opsrun_host* host, bool shared)
      : plan_(plan), cpu_(cpu), host_(host), shared_(shared) {}
  LaneMemory(const LaneMemory&) = delete;
  ~LaneMemory();

  // Once, before anything else. lane: what opsrun_call::lane points to. RESOURCE_EXHAUSTED: out of memory.
  Status Build(void* lane);

  const Plan& plan() const { return plan_; }
  const opsrun_host* host() const { return host_; }
  Device& cpu() const { return cpu_; }
  // In the order of the plan: the CPU first.
  const std::vector<std::unique_ptr<LaneDevice>>& devices() const { return devices_; }
  LaneDevice& device_of(const Step& step) const { return *devices_[step.device]; }

  // By step, at rising addresses.
  const std::vector<opsrun_call*>& calls() const { return calls_; }
  uint32_t StepOf(const opsrun_call* call) const;
  // The view of a value of the plan.
  const opsrun_tensor& view(size_t value) const { return *views_[value]; }
  // The same. Requires: the plan does not know the value's place.
  DynamicView* dynamic_view(size_t value) const {
    return static_cast<DynamicView*>(const_cast<opsrun_tensor*>(views_[value]));
  }
  // The view of a constant or declared feed. Consumers point at views, so new addresses reach them.
  TensorView& feed(size_t value) { return *feeds_[value]; }
  // Lets an output in an arena be at `memory`; null: at its own place.
  void MoveOutput(size_t value, void* memory);

  // Before a run: forgets the results of the last one. A buffer that has another owner by now leaves its pool.
  void BeginRun();
  // After a failed run: drops the outputs whose shapes were unknown before it.
  void DropDynamic();

  // See Lane. Small results stay: their user may drop them before the next run, which then reuses the memory.
  void Rest(bool arena);
  // *moved: arenas are at other addresses than before Rest.
  Status Wake(bool* moved);
  bool IsLight() const;
  size_t bytes() const;

 private:
  void OpenDevices();
  Status CheckMemory() const;
  void PlaceAll(Slab& cells, void* lane);
  void PlaceStep(Slab& cells, uint32_t s, void* lane);
  opsrun_tensor* PlaceOutput(Slab& cells, const PlanValue& value);
  const opsrun_tensor* ResidentView(size_t value);
  Status PlaceResidents();
  void PointIntoArenas();

  const Plan& plan_;
  Device& cpu_;
  const opsrun_host* const host_;
  const bool shared_;
  void* slab_ = nullptr;
  size_t slab_bytes_ = 0;
  std::vector<std::unique_ptr<LaneDevice>> devices_;
  std::vector<opsrun_call*> calls_;
  std::vector<const opsrun_tensor*> views_;                   // by value
  std::vector<std::unique_ptr<TensorView>> feeds_;            // by value; null for others
  std::map<size_t, std::unique_ptr<PlannedView>> residents_;  // by value: constants in device memory
  std::vector<DynamicView*> dynamic_views_;                   // all of them
  std::vector<DynamicView*> results_;                         // those that outlive the run
};

// Releases the buffer of a view, if it has one.
void Unallocate(DynamicView* view);

}  // namespace opsrun::host
