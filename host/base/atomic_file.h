// host/base/atomic_file.h: files that appear whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "host/base/status.h"

namespace opsrun::host {

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
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // RESOURCE_EXHAUSTED if the disk is full. After a failure, the object can only be destroyed.
  Status Write(const void* data, size_t size);
  // Writes at an offset; calls can be in any order. Do not combine with Write.
  Status WriteAt(uint64_t offset, const void* data, size_t size);
  // Call once, after the last write. The data is then on disk; only the last step of Commit can still fail.
  Status Flush();
  // True if the target is written to instead of replaced: a pipe, a terminal, an open file.
  bool is_stream() const { return stream_ >= 0; }
  Status Commit();  // call once, last; flushes if Flush was not called

 private:
  explicit AtomicFile(std::string path) : path_(std::move(path)) {}

  Status OpenFile(int mode);
  Status OpenNamed();
  Status OpenStream();
  Status Name(const std::string& name);
  Status NameAside();
  Status CopyToStream();

  std::string path_;       // as the caller wrote it, for messages
  std::string target_;     // the file to replace
  std::string temporary_;  // name until the rename; empty while the file is unnamed
  int fd_ = -1;
  int stream_ = -1;  // if not -1, Commit writes to it instead of renaming
  bool flushed_ = false;
  uint64_t end_ = 0;  // offset of the next Write
};

}  // namespace opsrun::host
