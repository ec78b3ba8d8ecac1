// tensorflow/core/platform/cord.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/platform/cord.h: write std::string, or use abseil itself (opsrun sdk --cflags --absl) and absl/strings/cord.h"
