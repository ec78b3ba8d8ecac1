// host/base/file_state.h: whether a file is still the one that it was.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace opsrun::host {

// Which file is at a path, and when it was written.
struct FileState {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t time = 0;  // of the last change, in nanoseconds

  // A file that was written anew in its place, not another one under its name.
  bool IsSameFile(const FileState& other) const { return device == other.device && inode == other.inode; }
  bool operator==(const FileState&) const = default;
};

// Nothing if there is no such file. A signal handler may call it.
std::optional<FileState> StateOf(const char* path);

// "41008 bytes of 2026-11-26 22:04:05"
std::string StateText(const FileState& state);

}  // namespace opsrun::host
