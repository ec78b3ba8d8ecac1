// SPDX-License-Identifier: Apache-2.0
#include "host/engine/callable_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace opsrun::host {
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

FeedSignature::FeedSignature(std::span<const TensorRef> feeds, std::span<const CallOutput> outputs) {
  for (const TensorRef& feed : feeds)
    types_.push_back({feed.dtype, Shape(feed.shape, feed.shape + feed.rank), feed.device});
  for (const CallOutput& output : outputs) outputs_.push_back(output.into.device);
  while (!outputs_.empty() && outputs_.back() == nullptr) outputs_.pop_back();
}

bool FeedSignature::FitsTypes(std::span<const TensorRef> feeds) const {
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

bool FeedSignature::Is(std::span<const TensorRef> feeds, std::span<const CallOutput> outputs) const {
  if (!FitsTypes(feeds) || outputs.size() < outputs_.size()) return false;
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (feeds[i].device != types_[i].device) return false;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].into.device != (i < outputs_.size() ? outputs_[i] : nullptr)) return false;
  }
  return true;
}

namespace {

// Whether all work is on one device, and nothing is copied from or to CPU memory.
bool IsOnOneDevice(const Plan& plan) {
  const auto is_there = [&](const Step& step) {
    return step.device == 1 && step.copy == Step::Copy::kNone &&
           (step.kernel()->flags & OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM) == 0;
  };
  return plan.devices.size() == 2 && std::ranges::all_of(plan.steps, is_there) &&
         std::ranges::all_of(plan.outputs, [&](const PlanOutput& each) { return plan.values[each.value].device == 1; });
}

}  // namespace

// A tensor that is an output twice is made once and then copied: results must not share memory.
CallablePlan::CallablePlan(std::shared_ptr<const PlannedGraph> planned)
    : planned_(std::move(planned)),
      context_(planned_->Context(nullptr)),
      files_(planned_->loaded().mapped_files()),
      uses_devices_(plan().devices.size() > 1),
      may_return_early_(IsOnOneDevice(plan())),
      idle_(*planned_) {
  std::vector<uint32_t> seen;
  for (const PlanOutput& output : plan().outputs) {
    const PlanValue& value = plan().values[output.value];
    const bool first = std::find(seen.begin(), seen.end(), output.value) == seen.end();
    const bool placed = first && value.memory == PlanValue::Memory::kArena;
    bytes_.push_back(placed ? static_cast<size_t>(*NumElements(value.shape())) * DTypeSize(value.dtype) : kLate);
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

CallablePlan::~CallablePlan() {
  (void)Wait();
}

// Work that is enqueued on a lane follows its last run, so that lane need not be done.
Result<IdleLanes::OfPlan::Counted> CallablePlan::TakeLane() {
  if (may_return_early_) {
    IdleLanes::OfPlan::Counted pending = idle_.TakePending();
    if (pending.lane != nullptr) return pending;
  }
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
    const bool on_cpu = plan().values[plan().outputs[i].value].device == kCpu;
    if (i < outputs.size() && on_cpu) outputs[i].into.device = nullptr;  // strings, wherever they are wanted
    if (bytes_[i] == kLate) continue;
    if (i >= outputs.size()) {
      lane.BindOutput(i, nullptr);
      continue;
    }
    CallOutput& output = outputs[i];
    const PlanValue& value = plan().values[plan().outputs[i].value];
    output.dtype = value.dtype;
    output.rank = static_cast<int32_t>(value.shape().size());
    output.shape = value.shape().data();
    if (Status status = CheckInto(i, output); !status.ok()) return status;
    output.data = output.into.data;
    if (output.into.dtype == DType::kInvalid) {
      output.memory = Allocate(lane, i, output, bytes_[i]);
      if (!output.memory) return NoMemory(i, bytes_[i]);
      output.data = output.memory.data();
    }
    lane.BindOutput(i, reinterpret_cast<uintptr_t>(output.data) % 64 == 0 ? output.data : nullptr);
  }
  return OkStatus();
}

SharedMemory CallablePlan::Allocate(const Lane& lane, size_t i, const CallOutput& output, size_t bytes) const {
  Device* const device = output.into.device;
  return device == nullptr ? SharedMemory::Allocate(context_.host, output.dtype, bytes)
                           : SharedMemory::AllocateOn(*device, lane.StreamOfOutput(i), context_.host, bytes);
}

// on_devices: those on devices, whose work may not be done yet; otherwise those on the CPU.
Status CallablePlan::TakeOutputs(Lane& lane, std::span<CallOutput> outputs, bool on_devices) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if ((outputs[i].into.device != nullptr) != on_devices) continue;
    if (Status taken = TakeOutput(lane, i, outputs[i]); !taken.ok()) return taken;
  }
  return OkStatus();
}

Status CallablePlan::TakeOutput(Lane& lane, size_t i, CallOutput& output) const {
  const opsrun_tensor& view = lane.OutputView(i);
  if (output.shape == nullptr) {
    output.dtype = DTypeFromNumber(view.dtype);
    output.rank = view.rank;
    output.late_shape.assign(view.shape, view.shape + view.rank);
    output.shape = output.late_shape.data();
    if (Status status = CheckInto(i, output); !status.ok()) return status;
  }
  const bool is_given = output.into.dtype != DType::kInvalid;
  if (is_given && view.data == output.into.data) {
    output.data = view.data;
    return OkStatus();
  }
  const std::span shape(output.shape, static_cast<size_t>(output.rank));
  const size_t bytes = static_cast<size_t>(*NumElementsOf(shape)) * ElementBytes(output.dtype);
  Device* const device = output.into.device;
  const auto copy = [&](void* to) {
    if (bytes == 0) return OkStatus();
    if (device != nullptr)
      return device->Copy(Device::Direction::kWithin, to, view.data, bytes, lane.StreamOfOutput(i));
    std::memcpy(to, view.data, bytes);
    return OkStatus();
  };
  if (is_given) {
    output.data = output.into.data;
    return copy(output.into.data);
  }
  if (output.memory) return OkStatus();
  if (!repeated_[i]) output.memory = lane.ShareOutput(i);
  if (!output.memory && device == nullptr) output.memory = SharedMemory::CopyOf(view);
  if (!output.memory && device != nullptr) {
    output.memory = Allocate(lane, i, output, bytes);
    if (Status copied = output.memory ? copy(output.memory.data()) : OkStatus(); !copied.ok()) return copied;
  }
  if (!output.memory) return NoMemory(i, bytes);
  output.data = output.memory.data();
  return OkStatus();
}

Status CallablePlan::CheckFiles() const {
  for (const MappedFile& file : files_) {
    if (Status status = file.Check(); !status.ok()) return status;
  }
  return OkStatus();
}

std::optional<RunFailure> CallablePlan::RunOn(Lane& lane, std::span<const TensorRef> feeds,
                                              std::span<CallOutput> outputs, const Order& order, bool waits) const {
  for (size_t i = 0; i < feeds.size(); ++i) {
    lane.BindFeed(i, feeds[i].dtype, feeds[i].rank, feeds[i].shape, feeds[i].data);
  }
  lane.SetStop(order.stop);
  if (Status placed = PlaceOutputs(lane, outputs); !placed.ok()) return WithoutStep(std::move(placed));
  if (uses_devices_) return RunOnDevices(lane, feeds, outputs, order, waits);
  if (std::optional<RunFailure> failure = lane.Run()) return failure;
  if (Status taken = TakeOutputs(lane, outputs, false); !taken.ok()) return WithoutStep(std::move(taken));
  return std::nullopt;
}

// Whoever reads a result on a device does so after the run, and frees its memory after its own work.
std::optional<RunFailure> CallablePlan::RunOnDevices(Lane& lane, std::span<const TensorRef> feeds,
                                                     std::span<CallOutput> outputs, const Order& order,
                                                     bool waits) const {
  Status status = order.device == nullptr ? OkStatus() : lane.Follow(*order.device, order.stream);
  for (const TensorRef& feed : feeds) {
    if (status.ok() && feed.stream != kNoStream) status = lane.Follow(*feed.device, feed.stream);
  }
  // What is written to the caller's memory must not be read by its earlier work any more.
  for (const CallOutput& output : outputs) {
    const bool is_given = output.into.dtype != DType::kInvalid && output.into.stream != kNoStream;
    if (status.ok() && is_given) status = lane.Follow(*output.into.device, output.into.stream);
  }
  std::optional<RunFailure> failure = status.ok() ? lane.Enqueue() : WithoutStep(status);
  if (!failure) status = TakeOutputs(lane, outputs, true);
  for (CallOutput& output : outputs) {
    if (failure || !status.ok() || output.into.device == nullptr) continue;
    Device& device = *output.into.device;
    const Stream reader = output.into.stream != kNoStream ? output.into.stream
                          : order.device == &device       ? order.stream
                                                          : kNoStream;
    if (reader == kNoStream) continue;
    status = lane.LetFollow(device, reader);
    output.memory.FreeOn(reader);
  }
  if (!failure && status.ok() && order.device != nullptr) status = lane.LetFollow(*order.device, order.stream);
  if (waits || failure || !status.ok()) {
    std::optional<RunFailure> late = lane.Finish();
    if (!failure) failure = std::move(late);
  }
  if (!failure && status.ok() && waits) status = TakeOutputs(lane, outputs, false);
  if (!failure && !status.ok()) failure = WithoutStep(std::move(status));
  return failure;
}

std::optional<RunFailure> CallablePlan::Run(std::span<const TensorRef> feeds, std::span<CallOutput> outputs,
                                            const Order& order) {
  Result<IdleLanes::OfPlan::Counted> lane = TakeLane();
  if (!lane.ok()) return WithoutStep(lane.status());
  const bool waits = !may_return_early_ || order.device == nullptr;
  std::optional<RunFailure> failure = RunOn(*lane->lane, feeds, outputs, order, waits);
  if (Status unchanged = CheckFiles(); !unchanged.ok()) failure = WithoutStep(std::move(unchanged));
  if (waits || failure) {
    idle_.Return(*std::move(lane));
  } else {
    idle_.ReturnPending(*std::move(lane));
  }
  return failure;
}

}  // namespace opsrun::host
