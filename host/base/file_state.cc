// host/base/file_state.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/file_state.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <ctime>

namespace opsrun::host {

constexpr int64_t kNanoseconds = 1'000'000'000;

std::optional<FileState> StateOf(const char* path) {
  struct stat status = {};
  if (stat(path, &status) != 0) return std::nullopt;
  return FileState{status.st_dev, status.st_ino, static_cast<uint64_t>(status.st_size),
                   int64_t{status.st_mtim.tv_sec} * kNanoseconds + status.st_mtim.tv_nsec};
}

std::string StateText(const FileState& state) {
  const time_t seconds = state.time / kNanoseconds;
  tm local = {};
  char time[32] = "";
  if (localtime_r(&seconds, &local) != nullptr) std::strftime(time, sizeof(time), "%F %T", &local);
  return fmt::format("{} bytes of {}", state.size, time);
}

}  // namespace opsrun::host
