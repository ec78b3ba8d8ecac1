// host/elf/opened_bytes.h: a file that is opened to be read as bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/elf/file_bytes.h"

namespace opsrun::host {

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
