// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane.h"

#include <fmt/format.h>

#include <cstring>

#include "host/run/call_slots.h"
#include "host/run/device_step.h"
#include "host/run/host_table.h"
#include "host/run/lane_memory.h"
#include "host/run/run_state.h"
#include "host/run/step_loop.h"

namespace opsrun::host {
namespace {

ThreadPool* PoolOfSeveral(ThreadPool* pool) {
  return pool != nullptr && pool->threads() > 1 ? pool : nullptr;
}

}  // namespace

// Each uses those above it.
struct Lane::Parts {
  Parts(const Plan& plan, const LaneContext& context)
      : memory(plan, *context.device, context.host, PoolOfSeveral(context.pool) != nullptr),
        state(context.stop),
        slots(memory, state, device_steps, PoolOfSeveral(context.pool), context.resources,
              context.options.sync_each_node) {}

  Status Build(const RunOptions& options) {
    if (Status status = memory.Build(&slots); !status.ok()) return status;
    if (Status status = device_steps.Build(slots, memory, options); !status.ok()) return status;
    loop.emplace(memory, state, slots, device_steps, options.nan_check);
    return OkStatus();
  }

  LaneMemory memory;
  RunState state;
  DeviceSteps device_steps;
  CallSlots slots;
  std::optional<StepLoop> loop;  // after Build
};

Lane::Lane(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)), is_light_(parts_->memory.IsLight() && !parts_->device_steps.has_captures()) {}
Lane::~Lane() = default;

Result<std::unique_ptr<Lane>> Lane::Create(const Plan& plan, const LaneContext& context) {
  auto parts = std::make_unique<Parts>(plan, context);
  Status status = parts->Build(context.options);
  if (!status.ok()) return status;
  return std::unique_ptr<Lane>(new Lane(std::move(parts)));
}

Status Lane::SetFeed(const std::string& name, const Tensor& tensor) {
  for (const DeclaredFeed& feed : parts_->memory.plan().declared_feeds) {
    if (feed.name != name) continue;
    const PlanValue& declared = parts_->memory.plan().values[feed.value];
    if (tensor.dtype() != declared.dtype ||
        !Fits(declared, static_cast<int32_t>(tensor.shape().size()), tensor.shape().data())) {
      return InvalidArgument(fmt::format("feed '{}' must be {} {}, found {} {}", name, DTypeName(declared.dtype),
                                         declared.rank_known ? ShapeText(declared.shape) : "of any shape",
                                         DTypeName(tensor.dtype()), ShapeText(tensor.shape())));
    }
    parts_->memory.feed(feed.value).Set(tensor);
    return OkStatus();
  }
  return NotFound(fmt::format("the graph does not declare a feed '{}'", name));
}

void Lane::BindFeed(size_t i, DType dtype, int32_t rank, const int64_t* shape, void* data) {
  parts_->memory.feed(parts_->memory.plan().declared_feeds[i].value).Borrow(dtype, rank, shape, data);
}

// Consumers point at the view, so the new address reaches them without further changes.
bool Lane::BindOutput(size_t i, void* memory) {
  const uint32_t index = parts_->memory.plan().outputs[i].value;
  const PlanValue& value = parts_->memory.plan().values[index];
  if (value.memory != PlanValue::Memory::kArena) return false;
  parts_->memory.MoveOutput(index, memory);
  return true;
}

void Lane::SetStop(const StopSignal* stop) {
  parts_->state.SetStop(stop);
}

std::optional<RunFailure> Lane::Run() {
  return parts_->loop->Run(nullptr);
}

std::optional<RunFailure> Lane::RunTimed(RunTimes& times) {
  return parts_->loop->Run(&times);
}

void Lane::Rest(bool arena) {
  parts_->memory.Rest(arena);
}

Status Lane::Wake() {
  bool moved = false;
  const Status status = parts_->memory.Wake(&moved);
  if (status.ok() && moved) parts_->device_steps.ForgetCaptured();
  return status;
}

std::vector<RunningStep> Lane::Running() const {
  return parts_->loop->Running();
}

const opsrun_tensor& Lane::OutputView(size_t i) const {
  return parts_->memory.view(parts_->memory.plan().outputs[i].value);
}

SharedMemory Lane::ShareOutput(size_t i) const {
  Buffer* const buffer = BufferOf(&OutputView(i));
  if (buffer == nullptr) return {};
  buffer->Retain();
  return {buffer, ShareHost(parts_->memory.host())};
}

Result<Tensor> Lane::Output(size_t i) const {
  return Value(parts_->memory.plan().outputs[i].value);
}

Result<Tensor> Lane::Value(uint32_t value) const {
  const opsrun_tensor& view = parts_->memory.view(value);
  const PlanValue& planned = parts_->memory.plan().values[value];
  // Strings of a feed may share their bytes, which a copy would duplicate.
  if (planned.memory == PlanValue::Memory::kConstant && planned.dtype == DType::kString) {
    return parts_->memory.plan().constants[planned.offset];
  }
  Result<Tensor> tensor = Tensor::Create(DTypeOf(view), Shape(view.shape, view.shape + view.rank));
  if (!tensor.ok()) return tensor;
  if (view.dtype == OPSRUN_DT_STRING) {
    const Status copied = tensor->CopyStrings(static_cast<const opsrun_str*>(view.data));
    return copied.ok() ? tensor : copied;
  }
  if (tensor->num_bytes() != 0) std::memcpy(tensor->mutable_data(), view.data, tensor->num_bytes());
  return tensor;
}

uint64_t Lane::LastRun() const {
  return parts_->state.id();
}

size_t Lane::MemoryBytes() const {
  return parts_->memory.bytes() + parts_->device_steps.bytes();
}

Result<std::unique_ptr<LanePool>> LanePool::Create(const Plan& plan, const LaneContext& context, size_t count) {
  std::unique_ptr<LanePool> pool(new LanePool);
  for (size_t i = 0; i < count; ++i) {
    Result<std::unique_ptr<Lane>> lane = Lane::Create(plan, context);
    if (!lane.ok()) return lane.status();
    pool->lanes_.push_back(*std::move(lane));
  }
  // Return in reverse order, so that the first lane is borrowed first.
  for (auto lane = pool->lanes_.rbegin(); lane != pool->lanes_.rend(); ++lane) pool->Return(lane->get());
  return pool;
}

LanePool::Lease LanePool::Borrow() {
  free_count_.acquire();
  const std::lock_guard<std::mutex> lock(mutex_);
  Lane* lane = free_.back();
  free_.pop_back();
  return Lease(lane, {this});
}

void LanePool::Return(Lane* lane) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(lane);
  }
  free_count_.release();
}

}  // namespace opsrun::host
