// host/tensor/memory.cc: how much memory there is to ask for.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/memory.h"

#include <unistd.h>

#include <cstdint>

namespace opsrun::host {

size_t MachineMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return SIZE_MAX;
  return static_cast<size_t>(pages) * static_cast<size_t>(page_size);
}

}  // namespace opsrun::host
