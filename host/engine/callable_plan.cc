// SPDX-License-Identifier: Apache-2.0
#include "host/engine/callable_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace opsrun::host {
namespace {

constexpr size_t kMostLanes = 64;  // per plan

}  // namespace

IdleLanes::OfPlan::OfPlan(std::shared_ptr<IdleLanes> all) : all_(std::move(all)) {
  const std::lock_guard<std::mutex> lock(all_->mutex_);
  all_->plans_.insert(this);
}

IdleLanes::OfPlan::~OfPlan() {
  const std::lock_guard<std::mutex> lock(all_->mutex_);
  all_->plans_.erase(this);
  for (const Counted& idle : idle_) all_->bytes_ -= idle.bytes;
}

IdleLanes::OfPlan::Counted IdleLanes::OfPlan::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.empty()) return {};
  Counted last = std::move(idle_.back());
  idle_.pop_back();
  return last;
}

// On the fast path of every call: usually nothing has changed.
void IdleLanes::OfPlan::Return(Counted lane) {
  const size_t before = lane.bytes;
  if (before == 0 || !lane.lane->is_light()) {
    lane.lane->Rest(/*arena=*/true);
    lane.bytes = lane.lane->MemoryBytes();
  }
  const size_t bytes = lane.bytes;
  if (bytes != before) all_->bytes_ += bytes - before;
  last_run_.store(lane.lane->LastRun(), std::memory_order_relaxed);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.size() < kMostLanes) idle_.push_back(std::move(lane));
  }
  if (lane.lane != nullptr) return Drop(std::move(lane));
  if (bytes != before && all_->bytes() > kMostBytes) (void)all_->Shrink(kMostBytes / 2, this);
}

void IdleLanes::OfPlan::Drop(Counted lane) {
  all_->bytes_ -= lane.bytes;
}

void IdleLanes::OfPlan::MoveTo(std::vector<Counted>& out) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Counted& idle : idle_) {
    all_->bytes_ -= idle.bytes;
    out.push_back(std::move(idle));
  }
  idle_.clear();
}

// Holds the lock until the lanes are destroyed, so that their plans live that long.
bool IdleLanes::Shrink(size_t most, const OfPlan* except) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::pair<uint64_t, OfPlan*>> oldest;
  for (OfPlan* const plan : plans_) oldest.emplace_back(plan->last_run_.load(std::memory_order_relaxed), plan);
  std::sort(oldest.begin(), oldest.end());
  std::vector<OfPlan::Counted> out;
  for (const auto& [last_run, plan] : oldest) {
    if (bytes() <= most) break;
    if (plan != except) plan->MoveTo(out);
  }
  return !out.empty();
}

namespace {

Status NoMemory(size_t output, size_t bytes) {
  return {OPSRUN_RESOURCE_EXHAUSTED, fmt::format("not enough memory for the {} bytes of output {}", bytes, output),
          fmt::format("output:{}", output)};
}

std::string TypeText(DType dtype, std::span<const int64_t> shape) {
  return fmt::format("{} {}", DTypeName(dtype), ShapeText(Shape(shape.begin(), shape.end())));
}

size_t CharactersOf(const Value& value) {
  size_t n = value.text.size();
  for (const Value& item : value.items) n += CharactersOf(item);
  for (const Value::Entry& entry : value.entries) n += CharactersOf(entry.value);
  return n;
}

// Checks output i, of known type and shape, against the caller's memory.
Status CheckInto(size_t i, const CallOutput& output) {
  const TensorRef& into = output.into;
  if (into.dtype == DType::kInvalid) return OkStatus();
  const std::span result(output.shape, static_cast<size_t>(output.rank));
  const std::span given(into.shape, static_cast<size_t>(into.rank));
  if (into.dtype == output.dtype && std::equal(result.begin(), result.end(), given.begin(), given.end())) {
    return OkStatus();
  }
  return {OPSRUN_INVALID_ARGUMENT,
          fmt::format("output {} is {}, but the memory provided for it is {}", i, TypeText(output.dtype, result),
                      TypeText(into.dtype, given)),
          fmt::format("output:{}", i)};
}

RunFailure WithoutStep(Status status) {
  RunFailure failure;
  failure.step = CallablePlan::kNoStep;
  failure.status = std::move(status);
  return failure;
}

}  // namespace

FeedSignature::FeedSignature(std::span<const TensorRef> feeds) {
  for (const TensorRef& feed : feeds) types_.push_back({feed.dtype, Shape(feed.shape, feed.shape + feed.rank)});
}

bool FeedSignature::Is(std::span<const TensorRef> feeds) const {
  if (feeds.size() != types_.size()) return false;
  for (size_t i = 0; i < feeds.size(); ++i) {
    const FeedType& type = types_[i];
    if (feeds[i].dtype != type.dtype || feeds[i].rank != static_cast<int32_t>(type.shape.size()) ||
        !std::equal(type.shape.begin(), type.shape.end(), feeds[i].shape)) {
      return false;
    }
  }
  return true;
}

// A tensor that is an output twice is made once and then copied: results must not share memory.
CallablePlan::CallablePlan(std::shared_ptr<const PlannedGraph> planned)
    : planned_(std::move(planned)),
      context_(planned_->Context(nullptr)),
      idle_(planned_->loaded().engine().idle_lanes()) {
  std::vector<uint32_t> seen;
  for (const PlanOutput& output : plan().outputs) {
    const PlanValue& value = plan().values[output.value];
    const bool first = std::find(seen.begin(), seen.end(), output.value) == seen.end();
    const bool placed = first && value.memory == PlanValue::Memory::kArena;
    bytes_.push_back(placed ? static_cast<size_t>(*NumElements(value.shape)) * DTypeSize(value.dtype) : kLate);
    repeated_.push_back(!first);
    seen.push_back(output.value);
  }
}

// An attr's number needs at most four times as many bytes in a tensor as it has characters in the text.
size_t CallablePlan::bytes() const {
  constexpr size_t kStep = 2048, kCharacter = 4;
  size_t characters = 0;
  for (const Node& node : plan().graph().nodes) {
    for (const NodeAttr& attr : node.attrs) characters += CharactersOf(attr.value);
  }
  return kStep * plan().steps.size() + kCharacter * characters;
}

Result<IdleLanes::OfPlan::Counted> CallablePlan::TakeLane() {
  IdleLanes::OfPlan::Counted known = idle_.Take();
  if (known.lane == nullptr) {
    Result<std::unique_ptr<Lane>> made = Lane::Create(plan(), context_);
    if (!made.ok()) return made.status();
    return IdleLanes::OfPlan::Counted{*std::move(made)};
  }
  if (known.lane->is_light()) return known;
  Status awake = known.lane->Wake();
  if (awake.ok()) return known;
  idle_.Drop(std::move(known));
  return awake;
}

// If the plan knows the size, the kernel writes directly to the result. Lanes remember bindings, so every output is
// bound again: memory of an earlier call may be gone.
Status CallablePlan::PlaceOutputs(Lane& lane, std::span<CallOutput> outputs) const {
  for (size_t i = 0; i < bytes_.size(); ++i) {
    if (bytes_[i] == kLate) continue;
    if (i >= outputs.size()) {
      lane.BindOutput(i, nullptr);
      continue;
    }
    CallOutput& output = outputs[i];
    const PlanValue& value = plan().values[plan().outputs[i].value];
    output.dtype = value.dtype;
    output.rank = static_cast<int32_t>(value.shape.size());
    output.shape = value.shape.data();
    if (Status status = CheckInto(i, output); !status.ok()) return status;
    output.data = output.into.data;
    if (output.into.dtype == DType::kInvalid) {
      output.memory = SharedMemory::Allocate(context_.host, output.dtype, bytes_[i]);
      if (!output.memory) return NoMemory(i, bytes_[i]);
      output.data = output.memory.data();
    }
    lane.BindOutput(i, reinterpret_cast<uintptr_t>(output.data) % 64 == 0 ? output.data : nullptr);
  }
  return OkStatus();
}

Status CallablePlan::TakeOutputs(Lane& lane, std::span<CallOutput> outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    CallOutput& output = outputs[i];
    const opsrun_tensor& view = lane.OutputView(i);
    if (output.shape == nullptr) {
      output.dtype = DTypeFromNumber(view.dtype);
      output.rank = view.rank;
      output.late_shape.assign(view.shape, view.shape + view.rank);
      output.shape = output.late_shape.data();
      if (Status status = CheckInto(i, output); !status.ok()) return status;
    }
    if (output.into.dtype != DType::kInvalid && view.data == output.into.data) {
      output.data = view.data;
      continue;
    }
    const std::span shape(output.shape, static_cast<size_t>(output.rank));
    const size_t bytes = static_cast<size_t>(*NumElementsOf(shape)) * ElementBytes(output.dtype);
    if (output.into.dtype != DType::kInvalid) {
      if (bytes != 0) std::memcpy(output.into.data, view.data, bytes);
      output.data = output.into.data;
      continue;
    }
    if (output.memory) continue;
    if (!repeated_[i]) output.memory = lane.ShareOutput(i);
    if (!output.memory) output.memory = SharedMemory::CopyOf(view);
    if (!output.memory) return NoMemory(i, bytes);
    output.data = output.memory.data();
  }
  return OkStatus();
}

std::optional<RunFailure> CallablePlan::RunOn(Lane& lane, std::span<const TensorRef> feeds,
                                              std::span<CallOutput> outputs, const StopSignal* stop) const {
  for (size_t i = 0; i < feeds.size(); ++i) {
    lane.BindFeed(i, feeds[i].dtype, feeds[i].rank, feeds[i].shape, feeds[i].data);
  }
  lane.SetStop(stop);
  if (Status placed = PlaceOutputs(lane, outputs); !placed.ok()) return WithoutStep(std::move(placed));
  if (std::optional<RunFailure> failure = lane.Run()) return failure;
  if (Status taken = TakeOutputs(lane, outputs); !taken.ok()) return WithoutStep(std::move(taken));
  return std::nullopt;
}

std::optional<RunFailure> CallablePlan::Run(std::span<const TensorRef> feeds, std::span<CallOutput> outputs,
                                            const StopSignal* stop) {
  Result<IdleLanes::OfPlan::Counted> lane = TakeLane();
  if (!lane.ok()) return WithoutStep(lane.status());
  std::optional<RunFailure> failure = RunOn(*lane->lane, feeds, outputs, stop);
  idle_.Return(*std::move(lane));
  return failure;
}

}  // namespace opsrun::host
