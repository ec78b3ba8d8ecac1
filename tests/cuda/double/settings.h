// tests/cuda/double/settings.h: the settings of the fake driver, from the environment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace cuda_double {

inline std::string Setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

struct Settings {
  // eager or lazy; see README.md
  const bool lazy = Setting("OPSRUN_DOUBLE_SCHEDULE", "eager") == "lazy";
  // The number of cards, and the bytes of memory of each.
  const int devices = std::atoi(Setting("OPSRUN_DOUBLE_DEVICES", "1").c_str());
  const uint64_t memory = std::strtoull(Setting("OPSRUN_DOUBLE_MEMORY", "1073741824").c_str(), nullptr, 10);
  // The CPU time limit of a kernel, far more than any needs.
  const int kernel_seconds = std::atoi(Setting("OPSRUN_DOUBLE_SECONDS", "60").c_str());
  // 0: cards without memory pools
  const bool pools = Setting("OPSRUN_DOUBLE_POOLS", "1") != "0";
  // "cuMemAllocFromPoolAsync:3" or "cuStreamSynchronize:1:700": that call fails, with error 2 or the given one
  const std::string fail = Setting("OPSRUN_DOUBLE_FAIL", "");
  // The kernel with this number, from 1, fails when it runs: error 700, which every later call returns, too.
  const uint64_t late = std::strtoull(Setting("OPSRUN_DOUBLE_LATE", "0").c_str(), nullptr, 10);
  // A file that reports are appended to; by default, they are written to standard error. With STRICT=1 a process with a
  // report ends with status 99.
  const std::string report = Setting("OPSRUN_DOUBLE_REPORT", "");
  const bool strict = Setting("OPSRUN_DOUBLE_STRICT", "0") == "1";
};

}  // namespace cuda_double
