// host/plan/resident_constant.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/resident_constant.h"

#include <fmt/format.h>

namespace opsrun::host {

// The stream is given back at once: it is idle, and other work that comes onto it only delays the end of the memory.
Status ResidentConstant::Copy() const {
  const Result<Stream> stream = device_.TakeStream();
  if (!stream.ok()) return stream.status();
  stream_ = *stream;
  memory_ = device_.Allocate(constant_.num_bytes(), stream_);
  Status status = ResourceExhausted(
      fmt::format("there are no {} bytes on {} for a constant", constant_.num_bytes(), device_.name()));
  if (memory_ != nullptr) {
    status = device_.Copy(Device::Direction::kIn, memory_, constant_.data(), constant_.num_bytes(), stream_);
    if (status.ok()) status = device_.Drain(stream_);
  }
  device_.GiveStream(stream_);
  return status;
}

Result<void*> ResidentConstant::Memory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (memory_ == nullptr) {
    if (Status status = Copy(); !status.ok()) {
      device_.Free(memory_, stream_);
      memory_ = nullptr;
      return status;
    }
  }
  return memory_;
}

}  // namespace opsrun::host
