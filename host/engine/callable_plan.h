// host/engine/callable_plan.h: a plan for feeds of fixed types and shapes, which any thread may call, and the lanes
// that such plans keep for later calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "host/device/device.h"
#include "host/engine/loaded_graph.h"
#include "host/run/buffer.h"
#include "host/run/lane.h"

namespace opsrun::host {

// Lanes of an engine's callable plans that are not running. They keep frames, views and small memory; large memory goes
// back to its device (Lane::Rest). All plans together keep at most kMostBytes, not counting the plan that was used
// last. Beyond that, lanes of the least recently used plans are destroyed, and all of them when a device is out of
// memory: also pending ones, whose last run has returned but may not be done. Running lanes are counted but never
// destroyed. Any thread.
class IdleLanes final : public MemoryKeeper {
 public:
  static constexpr size_t kMostBytes = size_t{256} << 20;

  // The idle lanes of one plan, which must outlive this object.
  class OfPlan {
   public:
    explicit OfPlan(const PlannedGraph& planned);
    OfPlan(const OfPlan&) = delete;
    ~OfPlan();

    // A lane with the bytes counted for it.
    struct Counted {
      std::unique_ptr<Lane> lane;
      size_t bytes = 0;
    };

    // A lane, if possible the one that this thread has returned last; null if there is none. It may be resting: see
    // Lane::Wake. Takes no lock, and neither does Return.
    Counted Take();
    // Keeps a lane that was taken, or a new one.
    void Return(Counted lane);
    // The same for a pending lane, and one that may be used again before it is done; null if there is none.
    void ReturnPending(Counted lane);
    Counted TakePending();
    // Waits until no lane is pending. The first failure of their runs.
    std::optional<RunFailure> Wait();
    // Destroys a lane that was taken.
    void Drop(Counted lane);

   private:
    friend class IdleLanes;
    static constexpr size_t kMostLanes = 64;

    // The place of an idle lane.
    class Place {
     public:
      // Null if there is none, or if another thread takes it.
      Counted Take();
      // False, and no change, if there is one.
      bool Put(Counted& counted);

     private:
      static Lane* Busy() { return reinterpret_cast<Lane*>(alignof(Lane)); }
      std::atomic<Lane*> lane_{nullptr};  // Busy(): a thread takes or puts one
      size_t bytes_ = 0;
    };

    // Calls fn(place) for all of them, first that of this thread, until one returns true.
    template <typename Fn>
    bool AnyPlace(const Fn& fn);
    void MoveTo(std::vector<Counted>& out);
    void MovePendingTo(std::vector<Counted>& out);
    uint64_t FirstUnfinished();
    std::optional<RunFailure> FailureOf(uint64_t run);

    const PlannedGraph& planned_;
    const std::shared_ptr<IdleLanes> all_;
    std::atomic<uint64_t> last_run_{0};
    std::array<Place, kMostLanes> idle_;
    std::mutex mutex_;  // guards the members below; locked after IdleLanes::mutex_
    std::vector<Counted> pending_;
    std::optional<RunFailure> late_;  // the first failure of a run whose lane was destroyed
  };

  bool GiveUpMemory() override;
  // After an error of a device: calls tell with the failure of the earliest run that has returned and whose work is not
  // done, which caused the error. False if there is none.
  bool TellCause(const std::function<void(const PlannedGraph&, const RunFailure&)>& tell);
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  // Destroys lanes, except those of one plan, until at most so many bytes are left. False if there were none.
  bool Shrink(size_t most, const OfPlan* except);

  std::atomic<size_t> bytes_{0};
  std::mutex mutex_;  // guards plans_
  std::set<OfPlan*> plans_;
};

// A tensor of the caller: dense, row-major, aligned for its elements.
struct TensorRef {
  void* data = nullptr;
  DType dtype = DType::kInvalid;
  int32_t rank = 0;
  const int64_t* shape = nullptr;
  Device* device = nullptr;   // that has it in its memory; null: the CPU
  Stream stream = kNoStream;  // of the device: its present work makes the tensor
};

struct CallOutput;

// Data type, shape and device of each feed, in the order in which the graph declares them, and the devices of outputs.
class FeedSignature {
 public:
  FeedSignature() = default;
  explicit FeedSignature(std::span<const TensorRef> feeds, std::span<const CallOutput> outputs = {});

  bool Is(std::span<const TensorRef> feeds, std::span<const CallOutput> outputs = {}) const;
  // The same for data types and shapes alone.
  bool FitsTypes(std::span<const TensorRef> feeds) const;
  // Where the outputs are; empty: all on the CPU.
  const std::vector<Device*>& outputs() const { return outputs_; }
  size_t size() const { return types_.size(); }
  const FeedType& operator[](size_t i) const { return types_[i]; }

 private:
  std::vector<FeedType> types_;
  std::vector<Device*> outputs_;
};

// An output of a call.
struct CallOutput {
  // Before the call: the caller's memory for a result of this type and shape; kInvalid: the library allocates it. Its
  // device is that of the result in any case. Its stream reads the result: it follows the run, and frees the memory.
  TensorRef into;
  // After a successful call: the result in `memory` or in `into`. The shape is valid while the plan and this object
  // live.
  DType dtype = DType::kInvalid;
  int32_t rank = 0;
  const int64_t* shape = nullptr;
  void* data = nullptr;
  SharedMemory memory;
  Shape late_shape;  // what `shape` points to if the plan does not know it
};

class CallablePlan {
 public:
  explicit CallablePlan(std::shared_ptr<const PlannedGraph> planned);
  CallablePlan(const CallablePlan&) = delete;

  const Plan& plan() const { return planned_->plan(); }
  const PlannedGraph& planned() const { return *planned_; }
  // Approximate bytes of an idle plan: its steps, and what their kernels keep of attrs.
  size_t bytes() const;

  // How a run is ordered, beside its tensors' streams.
  struct Order {
    const StopSignal* stop = nullptr;  // stops the run; may be null
    // A stream of the caller on `device`, a device of the plan: the run begins after its present work, and its later
    // work follows the run. If nothing has to wait on the CPU, Run returns when all work is enqueued.
    Device* device = nullptr;
    Stream stream = kNoStream;
  };

  // Performs one run. feeds: one for each declared feed, of the types, shapes and devices of the plan; borrowed until
  // the run ends. outputs: the first outputs of the plan. Any number of threads may call it concurrently. On failure,
  // `step` is kNoStep if memory ran out or if output i does not fit its `into`, which is then unchanged; in the latter
  // case the subject is "output:i". FAILED_PRECONDITION if a file that the graph has mapped was written to.
  std::optional<RunFailure> Run(std::span<const TensorRef> feeds, std::span<CallOutput> outputs, const Order& order);
  // Waits for the runs that have returned before they were done. The first failure among them.
  std::optional<RunFailure> Wait() { return idle_.Wait(); }

  // RunFailure::step of a failure that does not belong to a step.
  static constexpr uint32_t kNoStep = ~uint32_t{0};

  ~CallablePlan();

 private:
  Result<IdleLanes::OfPlan::Counted> TakeLane();
  std::optional<RunFailure> RunOn(Lane& lane, std::span<const TensorRef> feeds, std::span<CallOutput> outputs,
                                  const Order& order, bool waits) const;
  std::optional<RunFailure> RunOnDevices(Lane& lane, std::span<const TensorRef> feeds, std::span<CallOutput> outputs,
                                         const Order& order, bool waits) const;
  Status CheckFiles() const;
  Status PlaceOutputs(Lane& lane, std::span<CallOutput> outputs) const;
  Status TakeOutputs(Lane& lane, std::span<CallOutput> outputs, bool on_devices) const;
  Status TakeOutput(Lane& lane, size_t i, CallOutput& output) const;
  SharedMemory Allocate(const Lane& lane, size_t i, const CallOutput& output, size_t bytes) const;

  const std::shared_ptr<const PlannedGraph> planned_;
  const LaneContext context_;
  std::vector<size_t> bytes_;   // by output: bytes of its memory if it can be allocated in advance, otherwise kLate
  std::vector<bool> repeated_;  // by output: true if an earlier one is the same tensor
  static constexpr size_t kLate = ~size_t{0};
  const std::vector<MappedFile> files_;  // with constants of the plan
  const bool uses_devices_;
  bool may_return_early_ = false;  // nothing in it waits on the CPU
  IdleLanes::OfPlan idle_;
};

}  // namespace opsrun::host
