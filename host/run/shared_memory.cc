// host/run/shared_memory.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/run/shared_memory.h"

#include "host/run/elements.h"
#include "host/run/host_table.h"
#include "host/run/views.h"

namespace opsrun::host {

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(buffer_, other.buffer_);
  std::swap(host_, other.host_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (buffer_ != nullptr) buffer_->Release();
}

SharedMemory SharedMemory::Allocate(const opsrun_host* host, DType dtype, size_t bytes) {
  Buffer* const buffer = NewElements(DeviceOf(host), kNoStream, dtype, bytes);
  return buffer == nullptr ? SharedMemory() : SharedMemory(buffer, ShareHost(host));
}

SharedMemory SharedMemory::CopyOf(const opsrun_tensor& view) {
  SharedMemory copy = Allocate(view.host, DTypeFromNumber(view.dtype), ViewBytes(view));
  if (!copy || !CopyElements(*copy.buffer_, view.data, ViewBytes(view))) return {};
  return copy;
}

void* SharedMemory::data() const {
  return buffer_ == nullptr ? nullptr : buffer_->data();
}

}  // namespace opsrun::host
