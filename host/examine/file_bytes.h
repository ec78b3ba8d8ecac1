// host/examine/file_bytes.h: the bytes of an untrusted file.
//
// Reads an open descriptor or memory through one interface. Files are read with pread and never mapped, so a file that
// shrinks meanwhile causes an error and not a signal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opsrun::host {

class FileBytes {
 public:
  // The bytes are borrowed.
  explicit FileBytes(std::string_view memory);
  // The descriptor is borrowed. size: of the regular file behind it.
  FileBytes(int fd, uint64_t size);

  uint64_t size() const { return size_; }
  // errno of a read that failed, as of a bad disk: what followed from that is not the file's fault. 0: none did.
  int error() const { return error_; }

  // True if [offset, offset + n) lies inside the file. No sum overflows.
  bool Holds(uint64_t offset, uint64_t n) const { return offset <= size_ && n <= size_ - offset; }

  // Copies [offset, offset + n), or returns false if not all of it is there.
  bool Read(uint64_t offset, size_t n, void* to) const;
  bool Read(uint64_t offset, size_t n, std::string* to) const;

  // The text at offset up to its NUL, empty if there is none within `max` bytes.
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

// A file that is opened to be read as bytes.

class OpenedBytes {
 public:
  explicit OpenedBytes(const std::string& path);
  OpenedBytes(const OpenedBytes&) = delete;
  ~OpenedBytes();

  // Null for what cannot be opened, or is not a regular file. Lives as long as this object.
  const FileBytes* bytes() const { return bytes_ ? &*bytes_ : nullptr; }
  // errno of opening it, or of reading it so far; 0 for what is not a regular file.
  int error() const { return bytes_ ? bytes_->error() : error_; }
  bool is_directory() const { return is_directory_; }

 private:
  int fd_ = -1;
  int error_ = 0;
  bool is_directory_ = false;
  std::optional<FileBytes> bytes_;
};

}  // namespace opsrun::host
