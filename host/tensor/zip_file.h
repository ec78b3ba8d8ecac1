// host/tensor/zip_file.h: zip archives, member by member. The only file that uses minizip.
//
// Archives are untrusted: a size is checked against the size of the archive before memory is allocated for it, and a
// member is valid only if its checksum is correct. Messages begin with a verb, so that the name of the file can precede
// them.
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
  // INVALID_ARGUMENT if the bytes, which must outlive the reader, are not a complete archive.
  static Result<ZipReader> Open(std::string_view bytes);
  ZipReader(ZipReader&&) noexcept;
  ~ZipReader();

  const std::vector<std::string>& names() const;

  // The size that member i states. INVALID_ARGUMENT if the member has too few bytes for it; UNIMPLEMENTED if it is
  // encrypted or uses a compression other than deflate.
  Result<uint64_t> Size(size_t i) const;
  // The first `count` bytes of member i; all of it, with its checksum, if it has no more.
  Result<std::string> Read(size_t i, uint64_t count);

 private:
  struct Impl;
  explicit ZipReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Members are stored uncompressed and without a time: equal content makes equal files.
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file);  // must outlive the writer
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
