// absl/base/config.h: the SDK's own small layer of abseil's names, for sources that use them without abseil.
//
// It is header-only and on the include path unless `opsrun sdk --absl` gives the flags, which use abseil itself. All of
// it is in an inline namespace, so that it never clashes with abseil in another object file of the plugin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"

#define OPSRUN_ABSL_LAYER
#define OPSRUN_ABSL_JOIN(prefix, name) OPSRUN_ABSL_JOIN_EXPANDED(prefix, name)
#define OPSRUN_ABSL_JOIN_EXPANDED(prefix, name) prefix##name
// Opens the namespace. Files that enter through opsrun/ and through tensorflow/ have different classes in it.
#define OPSRUN_ABSL_BEGIN        \
  namespace absl OPSRUN_HIDDEN { \
  inline namespace OPSRUN_ABSL_JOIN(sdk_of_, OPSRUN_NAMESPACE) {
#define OPSRUN_ABSL_END \
  }                     \
  }

// Headers of abseil itself use this name; they cannot be mixed with the layer.
#define ABSL_NAMESPACE_BEGIN                                                                               \
  static_assert(false,                                                                                     \
                "the SDK's layer of abseil's names lacks this header: compile with $(opsrun sdk --cflags " \
                "--absl), which uses abseil itself");
#define ABSL_NAMESPACE_END

#define ABSL_HAVE_BUILTIN(x) 0
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ABSL_IS_LITTLE_ENDIAN 1
#else
#define ABSL_IS_BIG_ENDIAN 1
#endif
