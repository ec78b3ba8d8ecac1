// opsrun_compat/build_info.h: what TensorFlow could have been built with, and whether ops must be deterministic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/env_var.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Whether the source is compiled for CUDA cards.
constexpr bool IsGoogleCudaEnabled() {
#if defined(GOOGLE_CUDA) && GOOGLE_CUDA
  return true;
#else
  return false;
#endif
}
constexpr bool IsBuiltWithROCm() {
  return false;
}
constexpr bool IsMklEnabled() {
  return false;
}
constexpr bool IsMKLEnabled() {
  return false;
}

// What the environment variable TF_DETERMINISTIC_OPS says, which is read once.
inline bool OpDeterminismRequired() {
  static const bool is_required = [] {
    bool value = false;
    ReadBoolFromEnvVar("TF_DETERMINISTIC_OPS", false, &value).IgnoreError();
    return value;
  }();
  return is_required;
}

}  // namespace OPSRUN_HIDDEN
