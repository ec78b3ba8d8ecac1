// host/run/lane_memory.h: all memory of a lane: calls, views, and on each device streams, an arena and blocks. Private
// to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "host/base/status.h"
#include "host/device/device.h"
#include "host/plan/call_arrays.h"
#include "host/plan/plan.h"
#include "host/run/buffer.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// On the CPU a lane has memory but no streams. On other devices, one stream runs kernels, and one per direction runs
// copies, so that they overlap. The device must outlive this object.
class LaneDevice {
 public:
  // steps: the number of steps on this device, of which the CPU's are not counted. shared: several threads use this
  // object.
  LaneDevice(Device& device, size_t arena_bytes, size_t steps, bool shared);
  LaneDevice(const LaneDevice&) = delete;
  ~LaneDevice();

  // False if the device is out of memory.
  bool has_memory() const { return arena_ != nullptr && has_arena_ && (steps_ == 0 || progress_ != nullptr); }
  // An error if a stream could not be created. Work for a missing stream would go to one that is not ordered.
  Status CheckStreams() const;

  Device& device() const { return device_; }
  Stream kernels() const { return kernels_.stream; }
  Stream copies_in() const { return copies_in_.stream; }
  Stream copies_out() const { return copies_out_.stream; }
  // Work on its streams from now on waits for the event.
  Status Follow(Event event);
  // Work on `stream` from now on waits for the work that is now on its streams.
  Status LetFollow(Stream stream);
  // Side stream i, 0 to 3, besides the kernels' stream; created when first requested. From any thread.
  Result<Stream> SideStream(uint32_t i);
  static constexpr uint32_t kSideStreams = 4;
  // Null after GiveArena.
  char* arena() const { return static_cast<char*>(arena_); }
  size_t arena_bytes() const { return arena_ == nullptr ? 0 : arena_bytes_; }
  // Takes back the arena that GiveArena released, if possible; *moved: it is a different one. False if out of memory.
  bool TakeArena(bool* moved);
  bool has_large_arena() const { return arena_bytes_ >= kLargeBlock; }
  // Returns a large arena to the device. Requires: all work is done.
  void GiveArena();
  BufferPool& buffers() { return buffers_; }

  // Call before each run. Goes on counting if the last one is not done.
  void Begin();
  // Records that the kernel of a step was enqueued, so that Drain can tell which one failed. From any thread.
  void NoteKernel(uint32_t step);
  // The first step whose kernel was enqueued in this run and has not finished; nothing if all have, or if the device
  // does not count. From any thread.
  std::optional<uint32_t> Unfinished() const;
  // Waits until all work is done. After an error, *failed is the first step whose kernel did not finish; nothing if all
  // did, or if the device does not count.
  Status Drain(std::optional<uint32_t>* failed);

 private:
  void* NewArena(const void* wish);

  Device& device_;
  const size_t steps_;
  const OwnStream kernels_, copies_in_, copies_out_;
  const size_t arena_bytes_;
  void* arena_;
  void* last_arena_ = nullptr;  // address before GiveArena
  bool has_arena_ = true;       // the device has confirmed that it is allocated
  // The number of kernels that are done. The device writes it, because after an error it answers no other query.
  uint32_t* const progress_;
  std::vector<std::atomic<uint32_t>> enqueued_;  // steps, in the order in which their kernels were enqueued
  std::atomic<uint32_t> count_{0};               // entries in enqueued_, which may go round
  bool marks_ = false;                           // the device can count
  bool is_pending_ = false;                      // there may be work that Drain has not waited for
  BufferPool buffers_;
  std::mutex side_mutex_;  // guards the members below
  std::array<Stream, kSideStreams> side_{};
};

// A call of a step for a tile of its tensors, which is marked by this flag.
inline constexpr uint16_t kTileCall = 1u << 15;
struct TileCall : opsrun_call {
  uint32_t step = 0;
};

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
  // Lets the view of a declared feed be of this memory, on the feed's device.
  void BindFeed(size_t value, DType dtype, int32_t rank, const int64_t* shape, void* data);
  // Copies a feed to guarded memory, if the CPU's is guarded.
  void GuardFeed(size_t value);
  // Lets an output in an arena be at `memory`; null: at its own place.
  void MoveOutput(size_t value, void* memory);

  // Before a run: whether its steps are in order, and values may be where Plan::InOrder says. The plan's own places are
  // safe in any case. Memory of the caller stays where it is.
  void PlaceInOrder(bool in_order);

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
  void PlaceWorkspace(uint32_t s);
  std::optional<uint32_t> InputOfShape(const Step& step, const Shape& shape) const;
  opsrun_tensor* PlaceOutput(Slab& cells, const Step& step, const PlanValue& value);
  const opsrun_tensor* ResidentView(size_t value);
  void SetResident(size_t value);
  Status PlaceResidents();
  void PointIntoArenas();
  size_t OffsetOf(size_t value) const { return in_order_ ? in_order_->values[value] : plan_.values[value].offset; }

  const Plan& plan_;
  Device& cpu_;
  const opsrun_host* const host_;
  const bool shared_;
  void* slab_ = nullptr;
  size_t slab_bytes_ = 0;
  std::vector<std::unique_ptr<LaneDevice>> devices_;
  std::vector<opsrun_call*> calls_;
  const InOrderPlaces* in_order_ = nullptr;                   // where values are now; null: where the plan says
  std::vector<const opsrun_tensor*> views_;                   // by value
  std::vector<std::unique_ptr<TensorView>> feeds_;            // by value; null for others
  std::map<size_t, std::unique_ptr<PlannedView>> residents_;  // by value: constants and feeds in device memory
  std::vector<Buffer*> guarded_;                              // see GuardFeed
  std::vector<DynamicView*> dynamic_views_;                   // all of them
  std::vector<DynamicView*> results_;                         // those that outlive the run
};

// Releases the buffer of a view, if it has one.
void Unallocate(DynamicView* view);

}  // namespace opsrun::host
