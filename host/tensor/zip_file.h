// host/tensor/zip_file.h: zip archives, member by member. The only door to minizip.
//
// Archives are hostile: a size is compared with what the archive can hold before memory is taken for it, and a member
// counts as read only once its checksum is right. Sentences begin with a verb, for a file's name before them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/file.h"
#include "host/base/status.h"

namespace opsrun::host {

class ZipReader {
 public:
  // INVALID_ARGUMENT if the bytes, which outlive the reader, are no whole archive.
  static Result<ZipReader> Open(std::string_view bytes);
  ZipReader(ZipReader&&) noexcept;
  ~ZipReader();

  const std::vector<std::string>& names() const;

  // What member i says of its size. INVALID_ARGUMENT if it has fewer bytes than that takes; UNIMPLEMENTED if it is
  // encrypted or packed in another way than by deflate.
  Result<uint64_t> Size(size_t i) const;
  // The first `count` bytes of member i; all of it, with its checksum, if it has no more.
  Result<std::string> Read(size_t i, uint64_t count);

 private:
  struct Impl;
  explicit ZipReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Members are stored as they are, and bear no time: equal content makes equal files.
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file);  // which outlives it
  ZipWriter(const ZipWriter&) = delete;
  ~ZipWriter();

  Status Begin(const std::string& name);
  Status Write(const void* data, size_t size);
  Status End();
  Status Finish();  // once, last: writes the directory

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opsrun::host
