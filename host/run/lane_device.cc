// host/run/lane_device.cc: streams, arena and progress of a lane on one device.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "host/run/lane_memory.h"

namespace opsrun::host {

LaneDevice::LaneDevice(Device& device, size_t arena_bytes, size_t steps, bool shared)
    : device_(device),
      steps_(steps),
      kernels_(device, !device.is_cpu_memory()),
      copies_in_(device, !device.is_cpu_memory()),
      copies_out_(device, !device.is_cpu_memory()),
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

Status LaneDevice::Follow(Event event) {
  for (const Stream own : {kernels(), copies_in(), copies_out()}) {
    if (Status status = device_.Follow(own, event); !status.ok()) return status;
  }
  return OkStatus();
}

Status LaneDevice::LetFollow(Stream stream) {
  const std::lock_guard<std::mutex> lock(side_mutex_);
  std::vector<Stream> streams(side_.begin(), side_.end());
  streams.insert(streams.end(), {kernels(), copies_in(), copies_out()});
  for (const Stream own : streams) {
    if (own == kNoStream) continue;
    if (Status status = Order(device_, own, stream); !status.ok()) return status;
  }
  return OkStatus();
}

void LaneDevice::Begin() {
  if (progress_ == nullptr || std::exchange(is_pending_, true)) return;
  count_.store(0, std::memory_order_relaxed);
  __atomic_store_n(progress_, 0, __ATOMIC_RELAXED);
}

void LaneDevice::NoteKernel(uint32_t step) {
  if (!marks_) return;
  const uint32_t before = count_.fetch_add(1, std::memory_order_relaxed);
  enqueued_[before % steps_].store(step, std::memory_order_relaxed);
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
  is_pending_ = false;
  return first;
}

std::optional<uint32_t> LaneDevice::Unfinished() const {
  if (!marks_) return std::nullopt;
  const uint32_t done = __atomic_load_n(progress_, __ATOMIC_RELAXED);
  if (done == count_.load(std::memory_order_acquire)) return std::nullopt;
  return enqueued_[done % steps_].load(std::memory_order_relaxed);
}

}  // namespace opsrun::host
