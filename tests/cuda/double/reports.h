// tests/cuda/double/reports.h: errors that the fake driver found, one per line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace cuda_double
