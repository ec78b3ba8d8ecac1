// host/run/cuda_interface.h: opsrun.cuda/1, as this host offers it. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"

namespace opsrun::host {

extern const opsrun_cuda kCudaInterface;

}  // namespace opsrun::host
