// host/base/environment.h: the only door to environment variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace opsrun::host {

// The value of an environment variable; null if it is not set. Null for all variables in a program that has more rights
// than whoever starts it (set-uid, set-gid or capabilities of its file): they would decide whose code it runs. Valid
// until the environment changes. Thread-safe unless another thread changes the environment.
inline const char* Environment(const char* name) {
  return secure_getenv(name);
}

}  // namespace opsrun::host
