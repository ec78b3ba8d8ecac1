// host/base/file.h: whole files, read and written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "host/base/status.h"

namespace opsrun::host {

// The whole of a regular file. NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION (a directory, a device) or
// RESOURCE_EXHAUSTED (over max_bytes), each naming the path and the reason.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes);

// The file that `path` means, as an absolute path without links: two paths are one file if and only if these are equal.
// The file need not be there. Hard links count as files of their own, since files are replaced, not changed.
std::string FileIdentity(const std::string& path);

// A file that appears whole or not at all: it is written beside `path` under a temporary name; Commit flushes it to the
// disk and renames it. Without Commit, or after a failure, the temporary file goes and an existing `path` stays as it
// was. An existing file keeps its mode; a symbolic link stays, and what it leads to is replaced.
class AtomicFile {
 public:
  // NOT_FOUND (no such directory), PERMISSION_DENIED (also for an existing file that is read-only), FAILED_PRECONDITION
  // (a directory, a device) ..., naming the path and the reason.
  static Result<AtomicFile> Create(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // RESOURCE_EXHAUSTED when the disk is full. After a failure only the destructor may follow.
  Status Write(const void* data, size_t size);
  // The same at an offset, in any order. Not together with Write.
  Status WriteAt(uint64_t offset, const void* data, size_t size);
  // Once, after the last Write: all is on the disk, and only the rename can still fail.
  Status Flush();
  Status Commit();  // once, last; flushes if that was not done

 private:
  AtomicFile(std::string path, std::string target, std::string temporary, int fd);

  std::string path_;       // as the caller wrote it, for messages
  std::string target_;     // what is replaced
  std::string temporary_;  // empty once renamed
  int fd_ = -1;
  uint64_t end_ = 0;  // where Write goes on
};

}  // namespace opsrun::host
