// host/base/file.h: reads whole files, describes I/O errors, detects changed files, and finds the file of this code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/status.h"

namespace opsrun::host {

// Reads a regular file. Errors name the path and the reason: NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION (a
// directory, a device) or RESOURCE_EXHAUSTED (over max_bytes).
Result<std::string> ReadFile(const std::string& path, size_t max_bytes);

// Reads a regular file, a pipe or a terminal, with the same errors. Reads a pipe to its end, at most 1 GiB.
// FAILED_PRECONDITION if nothing is written to a named pipe for 10 seconds.
Result<std::string> ReadFileOrPipe(const std::string& path, size_t max_bytes);

// Reads all of standard input, which can be anything but a directory. Errors are those of ReadFile.
Result<std::string> ReadStandardInput(size_t max_bytes);

// Errors for a file that cannot be read or written: the path, the reason, and the code for `error`, an errno.
Status CannotRead(const std::string& path, int error);
Status CannotWrite(const std::string& path, int error);

// The system would truncate such a path and use another file.
inline bool HoldsNul(const std::string& path) {
  return path.find('\0') != std::string::npos;
}

// Owns a file descriptor; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& from) noexcept : fd_(std::exchange(from.fd_, -1)) {}
  Descriptor& operator=(Descriptor from) noexcept {  // closes the old one
    std::swap(fd_, from.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }

 private:
  int fd_;
};

// Identifies a file and its last modification.
struct FileState {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t time = 0;  // of the last change, in nanoseconds

  // True for the same file, even if it was rewritten in place.
  bool IsSameFile(const FileState& other) const { return device == other.device && inode == other.inode; }
  bool operator==(const FileState&) const = default;
};

// Nothing if there is no such file. Async-signal-safe.
std::optional<FileState> StateOf(const char* path);

// "41008 bytes of 2026-11-26 22:04:05"
std::string StateText(const FileState& state);

// The file that contains this code: the program, or the library that another program has loaded. It is the file that
// the kernel has mapped, without links, never the name used to start the program or load the library: such names are
// resolved in the current directory, which may contain files of other users. Empty if unknown, as without /proc. If the
// file has since been deleted, its name ends with " (deleted)"; its directory is still right.
std::filesystem::path OwnFile();

// The directory that is `levels` above that of OwnFile(), such as the prefix of an installation: 1 above bin. Empty if
// it is unknown, or if others can add files to it but cannot replace ours, as in /tmp: files found there may be theirs.
std::filesystem::path AboveOwnFolder(int levels);

// The path of the file that is mapped at `address`, as a line of /proc/self/maps spells it. Empty if the line is about
// other memory, or about memory without a file.
std::string FileOfMapping(std::string_view line, uintptr_t address);

}  // namespace opsrun::host
