// host/base/atomic_file.h: files that appear whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "host/base/status.h"

namespace opsrun::host {

// The file that `path` means, as an absolute path without links: two paths are one file if and only if these are equal.
// The file need not be there. Hard links count as files of their own, since files are replaced, not changed.
std::string FileIdentity(const std::string& path);

// A file that is written without a name in the directory of `path`; Commit flushes it to the disk and gives it its
// name. Without Commit, after a failure, or if the program is killed, it goes and an existing `path` stays as it was.
// Where the file system has no files without a name, it has a temporary one, which stays if the program is killed. An
// existing file keeps its mode; a symbolic link stays, and what it leads to is replaced.
//
// A pipe, a terminal or another device, or a file that is open already (/dev/stdout, /dev/fd/3), is not replaced:
// Commit writes all bytes to it, after what the program has printed.
class AtomicFile {
 public:
  // NOT_FOUND (no such directory), PERMISSION_DENIED (also for an existing file that is read-only), FAILED_PRECONDITION
  // (a directory, a disk, a pipe that nobody reads) ..., naming the path and the reason.
  static Result<AtomicFile> Create(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // RESOURCE_EXHAUSTED when the disk is full. After a failure only the destructor may follow.
  Status Write(const void* data, size_t size);
  // The same at an offset, in any order. Not together with Write.
  Status WriteAt(uint64_t offset, const void* data, size_t size);
  // Once, after the last Write: all is on the disk, and only the last step can still fail.
  Status Flush();
  // Written to instead of replaced: a pipe, a terminal, an open file.
  bool is_stream() const { return stream_ >= 0; }
  Status Commit();  // once, last; flushes if that was not done

 private:
  explicit AtomicFile(std::string path) : path_(std::move(path)) {}

  Status OpenFile(int mode);
  Status OpenNamed();
  Status OpenStream();
  Status Name(const std::string& name);
  Status NameAside();
  Status CopyToStream();

  std::string path_;       // as the caller wrote it, for messages
  std::string target_;     // what is replaced
  std::string temporary_;  // its name until it is renamed; empty while it has none
  int fd_ = -1;
  int stream_ = -1;  // what Commit writes to, instead of giving a name
  bool flushed_ = false;
  uint64_t end_ = 0;  // where Write goes on
};

}  // namespace opsrun::host
