// opsrun/internal/log_message.h: a line on stderr, written at the end of the statement.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opsrun/internal/log_text.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

inline const char* FileName(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

class LogMessage {
 public:
  LogMessage(const char* severity, const char* file, int line) : severity_(severity), file_(file), line_(line) {}
  LogMessage(const LogMessage&) = delete;
  OPSRUN_COLD ~LogMessage() {
    fprintf(stderr, "%s %s:%d] %s\n", severity_, FileName(file_), line_, stream_.text().c_str());
  }
  TextStream& stream() { return stream_; }

 private:
  const char* severity_;
  const char* file_;
  int line_;
  TextStream stream_;
};

// The value of the environment variable OPSRUN_VLOG, read once.
inline int VlogLevel() {
  static const int level = [] {
    const char* text = getenv("OPSRUN_VLOG");
    return text == nullptr ? 0 : atoi(text);
  }();
  return level;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
