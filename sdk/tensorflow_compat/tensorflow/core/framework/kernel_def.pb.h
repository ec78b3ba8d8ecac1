// tensorflow/core/framework/kernel_def.pb.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/framework/kernel_def.pb.h: REGISTER_KERNEL_BUILDER alone describes kernels; leave the include out"
