// opsrun_compat/abi.h: names of C++ as people write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>
#include <stdlib.h>

#include <string>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace port {

// "std::vector<int>" for typeid(...).name(). Text that is not such a name stays what it is.
inline std::string MaybeAbiDemangle(const char* name) {
  int failed = 0;
  char* const readable = abi::__cxa_demangle(name, nullptr, nullptr, &failed);
  std::string text = failed == 0 ? readable : name;
  free(readable);
  return text;
}
inline std::string Demangle(const char* name) {
  return MaybeAbiDemangle(name);
}

}  // namespace port
}  // namespace OPSRUN_HIDDEN
