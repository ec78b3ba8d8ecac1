// host/run/lane_device.h: a lane's streams, arena and blocks on one device. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "host/base/status.h"
#include "host/device/device.h"
#include "host/run/buffer.h"

namespace opsrun::host {

// On the CPU a lane has memory but no streams. On other devices, one stream runs kernels, and one per direction runs
// copies, so that they overlap. The device must outlive this object.
class LaneDevice {
 public:
  // steps: the number of steps on this device; 0 for the CPU. shared: several threads use this object.
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

  // Call before each run.
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
  std::atomic<uint32_t> count_{0};               // entries in enqueued_
  bool marks_ = false;                           // the device can count
  BufferPool buffers_;
  std::mutex side_mutex_;  // guards the members below
  std::array<Stream, kSideStreams> side_{};
};

}  // namespace opsrun::host
