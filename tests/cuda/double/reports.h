// tests/cuda/double/reports.h: what the double found wrong, a line each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/cuda/double/settings.h"

namespace cuda_double {

class Reports {
 public:
  explicit Reports(const Settings& settings) : settings_(settings) {}

  // "opsrun double: KIND: text". Each text once. Also from a signal handler, of which nothing returns.
  void Add(const std::string& kind, const std::string& text);
  // At the end of the process: does not return if there were reports and the settings are strict.
  void End() const;

 private:
  const Settings& settings_;
  std::string last_;
  bool any_ = false;
};

}  // namespace cuda_double
