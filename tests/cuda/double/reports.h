// tests/cuda/double/reports.h: errors that the fake driver found, one per line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "tests/cuda/double/settings.h"

namespace cuda_double {

class Reports {
 public:
  explicit Reports(const Settings& settings) : settings_(settings) {}

  // Writes "opsrun double: KIND: text", each text once. Can be called from a signal handler that does not return.
  void Add(const std::string& kind, const std::string& text);
  // Called at the end of the process: does not return if there were reports and the settings are strict.
  void End() const;

 private:
  const Settings& settings_;
  std::string last_;
  bool any_ = false;
};

inline void Reports::Add(const std::string& kind, const std::string& text) {
  const std::string line = "opsrun double: " + kind + ": " + text + "\n";
  if (line == last_) return;
  last_ = line;
  any_ = true;
  int file = STDERR_FILENO;
  if (!settings_.report.empty()) file = open(settings_.report.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file >= 0 && write(file, line.data(), line.size()) < 0) return;
  if (file > STDERR_FILENO) close(file);
}

inline void Reports::End() const {
  if (any_ && settings_.strict) _exit(99);
}

}  // namespace cuda_double
