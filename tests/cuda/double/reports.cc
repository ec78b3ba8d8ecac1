// tests/cuda/double/reports.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/double/reports.h"

#include <fcntl.h>
#include <unistd.h>

namespace cuda_double {

void Reports::Add(const std::string& kind, const std::string& text) {
  const std::string line = "opsrun double: " + kind + ": " + text + "\n";
  if (line == last_) return;
  last_ = line;
  any_ = true;
  int file = STDERR_FILENO;
  if (!settings_.report.empty()) file = open(settings_.report.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file >= 0 && write(file, line.data(), line.size()) < 0) return;
  if (file > STDERR_FILENO) close(file);
}

void Reports::End() const {
  if (any_ && settings_.strict) _exit(99);
}

}  // namespace cuda_double
