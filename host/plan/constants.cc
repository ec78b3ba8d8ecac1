// host/plan/constants.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/constants.h"

#include <fmt/format.h>

namespace opsrun::host {

std::optional<Tensor> GraphConstants::Find(const std::string& feed) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = arrays_.find(feed);
  return found == arrays_.end() ? std::nullopt : std::optional(found->second);
}

void GraphConstants::Keep(const std::string& feed, const Tensor& array) {
  const std::lock_guard<std::mutex> lock(mutex_);
  arrays_.emplace(feed, array);
}

std::shared_ptr<const ResidentConstant> GraphConstants::On(Device& device, const Tensor& constant) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::weak_ptr<const ResidentConstant>& known = residents_[{&device, constant.data()}];
  std::shared_ptr<const ResidentConstant> resident = known.lock();
  const bool same = resident != nullptr && resident->constant().dtype() == constant.dtype() &&
                    resident->constant().shape() == constant.shape();
  if (!same) known = resident = std::make_shared<const ResidentConstant>(device, constant);
  return resident;
}

// Uses a stream of its own: a CUDA graph of another lane may be recorded on any stream in use.
ResidentConstant::~ResidentConstant() {
  if (memory_ == nullptr) return;
  const Result<Stream> stream = device_.TakeStream();
  device_.Free(memory_, stream.ok() ? *stream : kNoStream);
  if (stream.ok()) device_.GiveStream(*stream);
}

Status ResidentConstant::Copy() const {
  const Result<Stream> stream = device_.TakeStream();
  if (!stream.ok()) return stream.status();
  void* const memory = device_.Allocate(constant_.num_bytes(), *stream);
  Status status = ResourceExhausted(
      fmt::format("there are no {} bytes on {} for a constant", constant_.num_bytes(), device_.name()));
  if (memory != nullptr) {
    status = device_.Copy(Device::Direction::kIn, memory, constant_.data(), constant_.num_bytes(), *stream);
    if (status.ok()) status = device_.Drain(*stream);
  }
  if (status.ok()) {
    memory_ = memory;
  } else {
    device_.Free(memory, *stream);
  }
  device_.GiveStream(*stream);
  return status;
}

Result<void*> ResidentConstant::Memory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (memory_ == nullptr) {
    if (Status status = Copy(); !status.ok()) return status;
  }
  return memory_;
}

}  // namespace opsrun::host
