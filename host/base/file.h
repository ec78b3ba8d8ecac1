// host/base/file.h: whole files, read; what to say when that fails; whether a file has changed; and the file of this
// code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/status.h"

namespace opsrun::host {

// The whole of a regular file. NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION (a directory, a device) or
// RESOURCE_EXHAUSTED (over max_bytes), each naming the path and the reason.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes);

// The same of a regular file, a pipe or a terminal. Reads at most 1 GiB from a pipe, waits for its end, and for the
// first byte of one with a name that nobody has opened 10 seconds at most, after which it is FAILED_PRECONDITION.
Result<std::string> ReadFileOrPipe(const std::string& path, size_t max_bytes);

// All of standard input, of any kind but a directory; errors as ReadFile's.
Result<std::string> ReadStandardInput(size_t max_bytes);

// What is said when a file cannot be read or written.

// With the path, the reason and the code that `error`, an errno, stands for.
Status CannotRead(const std::string& path, int error);
Status CannotWrite(const std::string& path, int error);

// Such a path would be cut short by the system, and name another file.
inline bool HoldsNul(const std::string& path) {
  return path.find('\0') != std::string::npos;
}

// Whether a file is still the one that it was.

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

// The file that this code is in.

// The program, or the library that another program has loaded: the file that the kernel has mapped, without links.
// Never a name that the program was started with, or that the library was loaded by: those are resolved in the current
// folder, where anybody may have put anything. Empty if the kernel does not say it, as without /proc. If the file has
// been removed since, " (deleted)" follows its name; its folder is still right.
std::filesystem::path OwnFile();

// The folder that is `levels` above the one of OwnFile(), such as the prefix of an install: 1 above bin. Empty if it is
// unknown, or if others may add files to it while they cannot replace ours, as in /tmp: what is found there may be
// theirs.
std::filesystem::path AboveOwnFolder(int levels);

// Of a line of /proc/self/maps: the path of the file that is mapped at `address`, as it stands there; empty if it is
// another line, or the memory is no file's.
std::string FileOfMapping(std::string_view line, uintptr_t address);

}  // namespace opsrun::host
