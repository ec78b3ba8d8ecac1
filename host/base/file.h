// host/base/file.h: reads whole files, replaces files atomically, describes I/O errors, detects changed files, and
// finds the file of this code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/status.h"

namespace opsrun::host {

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

// Reads a regular file. Errors name the path and the reason: NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION (a
// directory, a device) or RESOURCE_EXHAUSTED (over max_bytes). judge: may refuse the open file before it is read; may
// be empty.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes,
                             const std::function<Status(const Descriptor& file)>& judge = {});

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
std::optional<FileState> StateOf(const Descriptor& file);

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

// A program of ours that only we start, in libexec/opsrun, one or two levels above the folder of OwnFile(). Empty if it
// is not installed.
std::string FindOwnProgram(std::string_view name);

// The path of the file that is mapped at `address`, as a line of /proc/self/maps spells it. Empty if the line is about
// other memory, or about memory without a file.
std::string FileOfMapping(std::string_view line, uintptr_t address);

// The file that `path` refers to, as an absolute path without symbolic links. Two paths refer to the same file if and
// only if the results are equal. The file need not exist. Hard links count as separate files, because files are
// replaced, not modified.
std::string FileIdentity(const std::string& path);

// Writes a file atomically. The data goes to an unnamed file in the directory of `path`; Commit flushes it to disk and
// renames it to `path`. Without Commit, after a failure, or if the program is killed, the data is discarded and an
// existing `path` is unchanged. On file systems without unnamed files, a temporary file is used; it remains if the
// program is killed. An existing file keeps its mode. If `path` is a symbolic link, its target is replaced.
//
// A pipe, a terminal, another device, or a file that is already open (/dev/stdout, /dev/fd/3) is not replaced: Commit
// flushes stdout, then writes all bytes to it.
class AtomicFile {
 public:
  // Errors name the path and the reason: NOT_FOUND (no such directory), PERMISSION_DENIED (also if an existing file is
  // read-only), FAILED_PRECONDITION (a directory, a disk, a pipe without a reader) and others.
  static Result<AtomicFile> Create(const std::string& path);
  // The same for a file that probably does not exist: faster. Errors about an existing one are those of Commit.
  static Result<AtomicFile> CreateNew(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // RESOURCE_EXHAUSTED if the disk is full, from this call or a later one: small writes are collected. After a failure,
  // the object can only be destroyed.
  Status Write(const void* data, size_t size);
  // Writes at an offset; calls can be in any order. Do not combine with Write.
  Status WriteAt(uint64_t offset, const void* data, size_t size);
  // Call once, after the last write. flush: the data is then on disk; only the last step of Commit can still fail.
  // Without, the system writes it when it likes: a flush of each of many files takes milliseconds.
  Status End(bool flush = true);
  // True if the target is written to instead of replaced: a pipe, a terminal, an open file.
  bool is_stream() const { return stream_ >= 0; }
  // Of what was written so far.
  uint64_t size() const { return size_; }
  // Call once, last; flushes if End was not called.
  Status Commit();

 private:
  explicit AtomicFile(std::string path) : path_(std::move(path)) {}

  Result<int> Look(bool* stream);
  bool OpenUnnamed();
  Status OpenFile(int mode);
  Status OpenNamed();
  Status OpenStream();
  Status Name(const std::string& name);
  Status NameAside();
  Status CopyToStream();
  Status WriteNow(uint64_t offset, const char* data, size_t size);
  Status WriteCollected();

  std::string path_;       // as the caller wrote it, for messages
  std::string target_;     // the file to replace
  std::string temporary_;  // name until the rename; empty while the file is unnamed
  int fd_ = -1;
  int stream_ = -1;  // if not -1, Commit writes to it instead of renaming
  bool ended_ = false;
  bool looked_ = true;         // at what `path` names: target_ is without links
  uint64_t end_ = 0;           // offset of the next Write
  uint64_t size_ = 0;          // the highest offset that was written
  std::string collected_;      // bytes that WriteNow has not got yet, from
  uint64_t collected_at_ = 0;  // this offset on
};

}  // namespace opsrun::host
