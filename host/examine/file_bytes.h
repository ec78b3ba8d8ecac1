// host/examine/file_bytes.h: the bytes of an untrusted file.
//
// Reads an open descriptor or memory through one interface. Files are read with pread and never mapped, so a file that
// shrinks meanwhile causes an error instead of a signal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/file.h"

namespace opsrun::host {

class FileBytes {
 public:
  // The memory must outlive this object.
  explicit FileBytes(std::string_view memory);
  // The descriptor must stay open. size: of its regular file.
  FileBytes(int fd, uint64_t size);

  uint64_t size() const { return size_; }
  // The errno of a failed read, such as a bad disk, whose consequences are not the file's fault; 0 if none failed.
  int error() const { return error_; }

  // True if [offset, offset + n) is within the file, without overflow.
  bool Holds(uint64_t offset, uint64_t n) const { return offset <= size_ && n <= size_ - offset; }

  // Copies [offset, offset + n); false if the file has fewer bytes.
  bool Read(uint64_t offset, size_t n, void* to) const;
  bool Read(uint64_t offset, size_t n, std::string* to) const;

  // The text at offset up to its NUL; empty if there is none within `max` bytes.
  std::string ReadText(uint64_t offset, size_t max) const;

 private:
  size_t ReadAt(uint64_t offset, size_t n, char* to) const;

  int fd_ = -1;
  mutable int error_ = 0;
  uint64_t size_ = 0;
  std::string_view memory_;      // the whole file; empty for a descriptor
  std::array<char, 4096> head_;  // the first bytes of a descriptor, which satisfy most reads
  size_t head_size_ = 0;
};

class OpenedBytes {
 public:
  explicit OpenedBytes(const std::string& path);
  OpenedBytes(const OpenedBytes&) = delete;

  // Null if the file cannot be opened or is not a regular file. Lives as long as this object.
  const FileBytes* bytes() const { return bytes_ ? &*bytes_ : nullptr; }
  // The errno of opening it, or of reading it so far; 0 if it is not a regular file.
  int error() const { return bytes_ ? bytes_->error() : error_; }
  bool is_directory() const { return is_directory_; }

 private:
  Descriptor file_;
  int error_ = 0;
  bool is_directory_ = false;
  std::optional<FileBytes> bytes_;
};

}  // namespace opsrun::host
