// host/run/shared_memory.h: counted memory, which holds results after their run has ended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "host/base/dtype.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

struct Buffer;

// One reference to a block of a host's memory, 64-byte aligned. Keeps the host's table and its device alive, so it may
// outlive lanes, plans and engines. Elements that own memory (strings) are destroyed with the last reference. Any
// thread.
class SharedMemory {
 public:
  SharedMemory() = default;  // none
  // Takes over one reference.
  SharedMemory(Buffer* buffer, std::shared_ptr<const opsrun_host> host) : buffer_(buffer), host_(std::move(host)) {}
  SharedMemory(SharedMemory&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)), host_(std::move(other.host_)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  // Memory for `bytes` bytes of elements; contents are undefined, except that strings are empty. None if memory runs
  // out. Requires: `host` was made by MakeHostTable.
  static SharedMemory Allocate(const opsrun_host* host, DType dtype, size_t bytes);
  // The same, with copies of the elements of `view`.
  static SharedMemory CopyOf(const opsrun_tensor& view);

  explicit operator bool() const { return buffer_ != nullptr; }
  void* data() const;

 private:
  Buffer* buffer_ = nullptr;
  std::shared_ptr<const opsrun_host> host_;
};

}  // namespace opsrun::host
