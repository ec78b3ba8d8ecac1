// host/base/file_error.h: what is said when a file cannot be read or written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/status.h"

namespace opsrun::host {

// With the path, the reason and the code that `error`, an errno, stands for.
Status CannotRead(const std::string& path, int error);
Status CannotWrite(const std::string& path, int error);

// Such a path would be cut short by the system, and name another file.
inline bool HoldsNul(const std::string& path) {
  return path.find('\0') != std::string::npos;
}

}  // namespace opsrun::host
