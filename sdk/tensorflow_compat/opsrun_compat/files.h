// opsrun_compat/files.h: RandomAccessFile, WritableFile, ReadOnlyMemoryRegion and FileStatistics. FileSystem opens
// files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"
#include "opsrun/strings.h"
#include "opsrun/types.h"
#include "opsrun_compat/errors.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// What errno says about a file.
inline Status FileError(const std::string& path) {
  return errors::IOError(path, errno);
}
inline Status FileResult(int result, const std::string& path) {
  return result == 0 ? Status() : FileError(path);
}

}  // namespace internal

// A file that is read at any place, from any thread.
class RandomAccessFile {
 public:
  RandomAccessFile(int file, std::string path) : file_(file), path_(std::move(path)) {}
  RandomAccessFile(const RandomAccessFile&) = delete;
  ~RandomAccessFile() { close(file_); }

  // Reads into `scratch`, n bytes, which *result refers to. OUT_OF_RANGE: the file ends before.
  ReturnedStatus Read(uint64 offset, size_t n, StringPiece* result, char* scratch) const {
    size_t done = 0;
    while (done < n) {
      const ssize_t more = pread(file_, scratch + done, n - done, static_cast<off_t>(offset + done));
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) return internal::FileError(path_);
      if (more == 0) break;
      done += static_cast<size_t>(more);
    }
    *result = StringPiece(scratch, done);
    return done == n ? OkStatus() : errors::OutOfRange("Read less bytes than requested");
  }
  ReturnedStatus Name(StringPiece* name) const {
    *name = path_;
    return Status();
  }

 private:
  int file_;
  std::string path_;
};

// A file that is written from its beginning or at its end.
class WritableFile {
 public:
  WritableFile(FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  WritableFile(const WritableFile&) = delete;
  ~WritableFile() { Close().IgnoreError(); }

  ReturnedStatus Append(StringPiece text) { return Result(fwrite(text.data(), 1, text.size(), file_) == text.size()); }
  ReturnedStatus Flush() { return Result(fflush(file_) == 0); }
  ReturnedStatus Sync() { return Result(fflush(file_) == 0 && fsync(fileno(file_)) == 0); }
  // How much was written; for a file that is appended to, with what it had before.
  template <typename Int64>
  ReturnedStatus Tell(Int64* position) {
    const long at = ftell(file_);
    if (at < 0) return internal::FileError(path_);
    *position = at;
    return Status();
  }
  ReturnedStatus Name(StringPiece* name) const {
    *name = path_;
    return Status();
  }
  ReturnedStatus Close() {
    FILE* const file = std::exchange(file_, nullptr);
    return Result(file == nullptr || fclose(file) == 0);
  }

 private:
  Status Result(bool ok) const { return ok ? Status() : internal::FileError(path_); }

  FILE* file_;
  std::string path_;
};

// The bytes of a file, in memory that it maps. They must not change meanwhile.
class ReadOnlyMemoryRegion {
 public:
  ReadOnlyMemoryRegion(void* data, uint64 length) : data_(data), length_(length) {}
  ReadOnlyMemoryRegion(const ReadOnlyMemoryRegion&) = delete;
  ~ReadOnlyMemoryRegion() { munmap(data_, length_); }

  const void* data() { return data_; }
  uint64 length() { return length_; }

 private:
  void* data_;
  uint64 length_;
};

struct FileStatistics {
  int64 length = -1, mtime_nsec = 0;
  bool is_directory = false;
};

}  // namespace OPSRUN_HIDDEN
