// tests/cuda/double/settings.h: the settings of the fake driver, from the environment, and the errors that it found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

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
  // 0: cards that cannot use each other's memory
  const bool peers = Setting("OPSRUN_DOUBLE_PEERS", "1") != "0";
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

// Errors, one per line.
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
