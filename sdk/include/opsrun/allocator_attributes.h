// opsrun/allocator_attributes.h: AllocatorAttributes, which say where the memory of a temporary must be, and
// AllocationAttributes, which opsrun ignores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class AllocatorAttributes {
 public:
  // The memory must be host memory, even for a kernel that runs on a device.
  void set_on_host(bool on_host) { on_host_ = on_host; }
  bool on_host() const { return on_host_; }
  // The memory must be host memory that the device can copy from.
  void set_gpu_compatible(bool gpu_compatible) { on_host_ = on_host_ || gpu_compatible; }

 private:
  bool on_host_ = false;
};

struct AllocationAttributes {
  AllocationAttributes() = default;
  AllocationAttributes(bool retry, bool logged, void* /*freed_by*/ = nullptr)
      : retry_on_failure(retry), allocation_will_be_logged(logged) {}

  bool retry_on_failure = true, allocation_will_be_logged = false;
};

}  // namespace OPSRUN_HIDDEN
