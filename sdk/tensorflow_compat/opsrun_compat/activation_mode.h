// opsrun_compat/activation_mode.h: ActivationMode, what a fused op computes last.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

enum ActivationMode { NONE = 0, SIGMOID = 1, RELU = 2, RELU6 = 3, RELUX = 4, TANH = 5, BANDPASS = 6 };

inline std::string_view ToString(ActivationMode mode) {
  static constexpr const char* kNames[] = {"NONE", "SIGMOID", "RELU", "RELU6", "RELUX", "TANH", "BANDPASS"};
  return kNames[mode];
}
// From the values of attrs: None, Sigmoid, Relu, Relu6, ReluX, Tanh and BandPass. NOT_FOUND, and *mode stays: it is
// another text.
inline ReturnedStatus GetActivationModeFromString(std::string_view text, ActivationMode* mode) {
  static constexpr const char* kTexts[] = {"None", "Sigmoid", "Relu", "Relu6", "ReluX", "Tanh", "BandPass"};
  for (int i = 0; i <= BANDPASS; ++i) {
    if (text != kTexts[i]) continue;
    *mode = static_cast<ActivationMode>(i);
    return Status();
  }
  return errors::NotFound("There is no activation '", text, "'");
}

}  // namespace OPSRUN_HIDDEN
