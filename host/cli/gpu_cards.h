// host/cli/gpu_cards.h: the graphics cards of this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/elf/fat_binary.h"

namespace opsrun::host {

// Loads the CUDA driver at the first call of the result, which remembers the answer. No cards without a driver.
GpuCards GpuCardsHere();

}  // namespace opsrun::host
