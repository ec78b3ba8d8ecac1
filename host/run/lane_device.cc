// host/run/lane_device.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "host/run/lane_impl.h"

namespace opsrun::host {

LaneDevice::OwnStream::OwnStream(Device& its_device, bool wanted) : device(its_device) {
  if (!wanted) return;
  const Result<Stream> taken = device.TakeStream();
  status = taken.status();
  if (taken.ok()) stream = *taken;
}

LaneDevice::LaneDevice(Device& device, size_t arena_bytes, size_t steps, bool shared)
    : device_(device),
      steps_(steps),
      kernels_(device, steps > 0),
      copies_in_(device, steps > 0),
      copies_out_(device, steps > 0),
      arena_bytes_(arena_bytes),
      arena_(NewArena(nullptr)),
      progress_(steps == 0 ? nullptr
                           : static_cast<uint32_t*>(device.staging().Allocate(sizeof(uint32_t), kernels_.stream))),
      enqueued_(steps),
      buffers_(device, kernels_.stream, shared) {
  if (steps_ == 0 || !has_memory()) return;
  // After this first mark, Mark can only fail because the device has an error.
  marks_ = device_.Mark(progress_, 0, kernels_.stream);
  // The arena is ready only for the kernels' stream, but copies use it on other streams.
  has_arena_ = device_.Drain(kernels_.stream).ok();
}

Status LaneDevice::CheckStreams() const {
  for (const OwnStream* each : {&kernels_, &copies_in_, &copies_out_}) {
    if (!each->status.ok()) return each->status;
  }
  return OkStatus();
}

LaneDevice::~LaneDevice() {
  for (const Stream stream : side_) {
    if (stream != kNoStream) device_.GiveStream(stream);
  }
  GiveArena();
  device_.Free(arena_, kernels_.stream);
  if (progress_ != nullptr) device_.staging().Free(progress_, kernels_.stream);
}

// Accepts a block up to kMostTimes too large: nothing is wasted, since others can have it after the run.
void* LaneDevice::NewArena(const void* wish) {
  constexpr size_t kMostTimes = 16;
  if (!has_large_arena()) return device_.Allocate(arena_bytes_, kernels_.stream);
  return device_.TakeBlock(arena_bytes_, kMostTimes * arena_bytes_, wish, kernels_.stream);
}

bool LaneDevice::TakeArena(bool* moved) {
  if (arena_ != nullptr) return true;
  arena_ = NewArena(last_arena_);
  *moved = *moved || arena_ != last_arena_;
  return arena_ != nullptr;
}

void LaneDevice::GiveArena() {
  if (arena_ == nullptr || !has_large_arena()) return;
  last_arena_ = std::exchange(arena_, nullptr);
  device_.GiveBlock(last_arena_);
}

void LaneDevice::Begin() {
  if (progress_ == nullptr) return;
  count_.store(0, std::memory_order_relaxed);
  __atomic_store_n(progress_, 0, __ATOMIC_RELAXED);
}

void LaneDevice::NoteKernel(uint32_t step) {
  if (!marks_) return;
  const uint32_t before = count_.fetch_add(1, std::memory_order_relaxed);
  if (before >= enqueued_.size()) return;
  enqueued_[before].store(step, std::memory_order_relaxed);
  device_.Mark(progress_, before + 1, kernels_.stream);
}

Result<Stream> LaneDevice::SideStream(uint32_t i) {
  const std::lock_guard<std::mutex> lock(side_mutex_);
  if (side_[i] == kNoStream) {
    Result<Stream> taken = device_.TakeStream();
    if (!taken.ok()) return taken;
    side_[i] = *taken;
  }
  return side_[i];
}

Status LaneDevice::Drain(std::optional<uint32_t>* failed) {
  Status first;
  const std::lock_guard<std::mutex> lock(side_mutex_);
  std::vector<Stream> streams(side_.begin(), side_.end());
  streams.insert(streams.end(), {copies_in_.stream, kernels_.stream, copies_out_.stream});
  for (const Stream stream : streams) {
    if (stream == kNoStream) continue;
    const Status status = device_.Drain(stream);
    if (first.ok()) first = status;
  }
  if (!first.ok()) *failed = Unfinished();
  return first;
}

std::optional<uint32_t> LaneDevice::Unfinished() const {
  if (!marks_) return std::nullopt;
  const uint32_t done = __atomic_load_n(progress_, __ATOMIC_RELAXED);
  const size_t enqueued = std::min<size_t>(count_.load(std::memory_order_acquire), enqueued_.size());
  if (done >= enqueued) return std::nullopt;
  return enqueued_[done].load(std::memory_order_relaxed);
}

// A lane on several devices: their memory, dependencies between steps, and the end of a run.

// With another device, the CPU arena is memory that the device can copy to and from directly.
void Lane::Impl::OpenDevices() {
  for (const PlanDevice& planned : plan.devices) {
    const auto index = static_cast<uint32_t>(devices.size());
    const auto steps_here = std::count_if(plan.steps.begin(), plan.steps.end(),
                                          [&](const Step& step) { return index > 0 && step.device == index; });
    Device& memory = index > 0 ? *planned.device : plan.devices.size() > 1 ? plan.devices[1].device->staging() : device;
    devices.push_back(
        std::make_unique<LaneDevice>(memory, planned.arena_bytes, static_cast<size_t>(steps_here), pool != nullptr));
  }
  if (devices.size() > 1) device_steps.resize(plan.steps.size());
}

Status Lane::Impl::CheckMemory() const {
  for (size_t i = 0; i < devices.size(); ++i) {
    const PlanDevice& planned = plan.devices[i];
    if (const Status status = devices[i]->CheckStreams(); !status.ok())
      return ResourceExhausted(
          fmt::format("a run of this graph needs streams that cannot be made: {}", status.message()));
    const bool whole = devices[i]->has_memory() && (i > kCpu || slab != nullptr);
    if (whole) continue;
    const std::string where = i == kCpu ? "" : fmt::format(" on {}", planned.name);
    return ResourceExhausted(
        fmt::format("a run of this graph needs {} bytes of memory{}, but that much is not available",
                    planned.arena_bytes + (i == kCpu ? slab_bytes : 0), where));
  }
  return OkStatus();
}

// Small results stay: their user may drop them before the next run, which then reuses the memory.
void Lane::Impl::Rest(bool arena) {
  for (DynamicView* view : results) {
    if (view->allocated() && (!view->buffer->is_small() || view->pool->has_much())) EndResult(view);
  }
  for (const std::unique_ptr<LaneDevice>& on : devices) {
    on->buffers().Shrink();
    if (arena) on->GiveArena();
  }
}

bool Lane::Impl::IsLight() const {
  const auto has_large_arena = [](const std::unique_ptr<LaneDevice>& on) { return on->has_large_arena(); };
  return dynamic_views.empty() && captured.empty() && std::none_of(devices.begin(), devices.end(), has_large_arena);
}

Status Lane::Impl::Wake() {
  const auto is_awake = [](const std::unique_ptr<LaneDevice>& on) { return on->arena() != nullptr; };
  if (std::all_of(devices.begin(), devices.end(), is_awake)) return OkStatus();
  bool moved = false;
  for (const std::unique_ptr<LaneDevice>& on : devices) on->TakeArena(&moved);
  Status status = CheckMemory();
  if (status.ok() && moved) PointIntoArenas();
  return status;
}

// Updates all views after the arenas have moved.
void Lane::Impl::PointIntoArenas() {
  for (size_t i = 0; i < plan.values.size(); ++i) {
    const PlanValue& value = plan.values[i];
    if (value.memory != PlanValue::Memory::kArena) continue;
    const_cast<opsrun_tensor*>(views[i])->data = devices[value.device]->arena() + value.offset;
  }
  for (const std::unique_ptr<CapturedSteps>& each : captured) each->Forget();
}

Status Lane::Impl::PlaceResidents() {
  for (size_t i = 0; i < plan.values.size(); ++i) {
    const PlanValue& value = plan.values[i];
    if (value.memory != PlanValue::Memory::kConstant || value.device == kCpu) continue;
    const ResidentConstant& resident = *plan.residents[value.offset];
    const Result<void*> memory = resident.Memory();
    if (!memory.ok()) return memory.status();
    residents[i]->data = *memory;
  }
  return OkStatus();
}

Status Lane::Impl::ConnectDeviceSteps() {
  for (size_t s = 0; s < device_steps.size(); ++s) {
    for (const uint32_t earlier : plan.steps[s].awaited) {
      if (Status status = device_steps[s]->Await(*device_steps[earlier]); !status.ok()) return status;
    }
    for (const uint32_t earlier : plan.steps[s].awaited_on_cpu) {
      if (Status status = device_steps[s]->AwaitOnCpu(*device_steps[earlier]); !status.ok()) return status;
    }
  }
  return OkStatus();
}

// A constant in device memory, whose address PlaceResidents sets. It has the shape of its feed.
const opsrun_tensor* Lane::Impl::ResidentView(size_t value) {
  LaneDevice& on = *devices[plan.values[value].device];
  auto view = std::make_unique<PlannedView>();
  static_cast<opsrun_tensor&>(*view) = *feeds[value]->get();
  view->device = on.device().id();
  view->flags = OPSRUN_TENSOR_CONST | OPSRUN_TENSOR_PLANNED | OPSRUN_TENSOR_ALIGNED64 | kPlannedView;
  view->on = &on.device();
  view->stream = on.kernels();
  residents[value] = std::move(view);
  return residents[value].get();
}

// Called after a failure too: no work may use the lane's memory afterwards. An error reported now belongs to the first
// step whose kernel did not finish. If the device reported it earlier, while refusing a call for a later step, that
// step is not the one to name.
void Lane::Impl::DrainDevices() {
  bool is_named = false;
  for (size_t i = 1; i < devices.size(); ++i) {
    std::optional<uint32_t> failed;
    const Status status = devices[i]->Drain(&failed);
    const bool may_name = failed && !is_named && failure_ && failure_->status.code() == OPSRUN_INTERNAL;
    if (status.ok() || (failure_ && !may_name)) continue;
    is_named = true;
    const uint32_t step = failed.value_or(static_cast<uint32_t>(steps.size()) - 1);
    failure_.reset();
    EndFailed(steps[step], Status(status.code(), fmt::format("its work{} on {} failed: {}", LaterNodes(step),
                                                             plan.devices[i].name, status.message())));
  }
}

// For each device, the first step whose kernel has not finished; later ones wait for it.
std::vector<uint32_t> Lane::Impl::UnfinishedOnDevices() const {
  std::vector<uint32_t> unfinished;
  for (size_t i = 1; i < devices.size(); ++i) {
    if (const std::optional<uint32_t> step = devices[i]->Unfinished()) unfinished.push_back(*step);
  }
  return unfinished;
}

// When steps were launched as one, the device does not report which of them failed.
std::string Lane::Impl::LaterNodes(uint32_t step) const {
  const CapturedSteps* const launched = CapturedOf(steps[step].call);
  if (launched == nullptr || !launched->is_launched()) return "";
  return fmt::format(", or that of a later node up to '{}' (with --no-cuda-graph, which of them is known),",
                     NodeName(steps[launched->last()].call));
}

void Lane::Impl::PrepareCaptures() {
  if (options.no_cuda_graphs || options.sync_each_node || options.nan_check) return;
  for (const Capture& planned : plan.captures) {
    LaneDevice& on = *devices[plan.steps[planned.first].device];
    captured.push_back(std::make_unique<CapturedSteps>(*this, planned, on));
    for (uint32_t s = planned.first; s < planned.first + planned.count; ++s)
      device_steps[s]->Join(captured.back().get());
  }
}

}  // namespace opsrun::host
