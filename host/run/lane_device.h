// host/run/lane_device.h: what a lane has of a device: streams, an arena, and blocks for what the arena does not hold.
// Private to this room.
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

// Of the CPU, a lane has memory and no streams. One stream takes kernels, and one the copies of each direction, so that
// they overlap. The device must outlive it.
class LaneDevice {
 public:
  // steps: those that the plan has on this device; 0 for the CPU. shared: several threads use it.
  LaneDevice(Device& device, size_t arena_bytes, size_t steps, bool shared);
  LaneDevice(const LaneDevice&) = delete;
  ~LaneDevice();

  // False: the device has not enough memory.
  bool has_memory() const { return arena_ != nullptr && has_arena_ && (steps_ == 0 || progress_ != nullptr); }
  // Not OK: it has not all its streams. Work on one that is not there would go to a stream that waits for nothing.
  Status CheckStreams() const;

  Device& device() const { return device_; }
  Stream kernels() const { return kernels_.stream; }
  Stream copies_in() const { return copies_in_.stream; }
  Stream copies_out() const { return copies_out_.stream; }
  // Stream i of those beside the kernels', from 0 to 3; taken when it is first asked for. From any thread.
  Result<Stream> SideStream(uint32_t i);
  static constexpr uint32_t kSideStreams = 4;
  // Null after GiveArena.
  char* arena() const { return static_cast<char*>(arena_); }
  size_t arena_bytes() const { return arena_ == nullptr ? 0 : arena_bytes_; }
  // Takes the arena that GiveArena has given back, if possible the same; *moved: it is another one. False if there is
  // no memory.
  bool TakeArena(bool* moved);
  bool has_large_arena() const { return arena_bytes_ >= kLargeBlock; }
  // Gives a large arena back to the device. Requires: all work is done.
  void GiveArena();
  BufferPool& buffers() { return buffers_; }

  // Before a run.
  void Begin();
  // Notes that the kernel of a step was enqueued, so that Failed can tell which one failed. From any thread.
  void NoteKernel(uint32_t step);
  // The first step whose kernel was enqueued in this run and has not finished; nothing if all have, or if the device
  // does not count. From any thread.
  std::optional<uint32_t> Unfinished() const;
  // Waits until everything is done. After an error, *failed is the first step whose kernel did not finish; nothing if
  // all did, or if the device does not count.
  Status Drain(std::optional<uint32_t>* failed);

 private:
  struct OwnStream {
    explicit OwnStream(Device& its_device, bool wanted);
    ~OwnStream() {
      if (stream != kNoStream) device.GiveStream(stream);
    }
    Device& device;
    Stream stream = kNoStream;
    Status status;  // why there is none
  };

  void* NewArena(const void* wish);

  Device& device_;
  const size_t steps_;
  const OwnStream kernels_, copies_in_, copies_out_;
  const size_t arena_bytes_;
  void* arena_;
  void* last_arena_ = nullptr;  // before GiveArena
  bool has_arena_ = true;       // the device says that it is there
  // How many of the kernels are done: the device itself counts, since after an error it answers nothing else.
  uint32_t* const progress_;
  std::vector<std::atomic<uint32_t>> enqueued_;  // steps, in the order in which their kernels were enqueued
  std::atomic<uint32_t> count_{0};               // of those
  bool marks_ = false;                           // the device can count
  BufferPool buffers_;
  std::mutex side_mutex_;  // guards what follows
  std::array<Stream, kSideStreams> side_{};
};

}  // namespace opsrun::host
