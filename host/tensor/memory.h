// host/tensor/memory.h: how much memory there is to ask for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace opsrun::host {

// Bytes of this machine's memory. Linux grants more than it has and kills whoever touches it: larger requests are
// refused here.
size_t MachineMemory();

}  // namespace opsrun::host
