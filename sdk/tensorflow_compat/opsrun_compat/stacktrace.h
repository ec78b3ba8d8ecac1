// opsrun_compat/stacktrace.h: CurrentStackTrace, which is empty: opsrun prints where a plugin crashes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
inline std::string CurrentStackTrace() {
  return "";
}
}  // namespace OPSRUN_HIDDEN
