// host/tensor/zip_archive.h: zip archives in memory, member by member. The only user of zlib and minizip.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/atomic_file.h"
#include "host/base/status.h"

namespace opsrun::host {

class ZipReader {
 public:
  // INVALID_ARGUMENT if the bytes, which must outlive the reader, are not a complete archive. Time and memory depend
  // only on the number of members.
  static Result<ZipReader> Open(std::string_view bytes);

  // Views into the archive's bytes.
  const std::vector<std::string_view>& names() const { return names_; }

  // The size that the directory states for member i. INVALID_ARGUMENT if the member has too few bytes for it;
  // UNIMPLEMENTED if it is encrypted or compressed by a method other than deflate.
  Result<uint64_t> Size(size_t i) const;
  // The first `count` bytes of member i. If it has no more, its checksum is verified.
  Result<std::string> Read(size_t i, uint64_t count) const;

 private:
  ZipReader(std::string_view bytes, uint64_t start) : bytes_(bytes), start_(start) {}
  Status List(std::string_view directory);

  std::string_view bytes_;
  uint64_t start_;  // offset of the archive in the bytes; offsets in the archive count from it
  std::vector<std::string_view> names_;
  std::vector<std::string_view> records_;  // the directory, from the record of each member on
};

// Members are stored uncompressed and without a time, so equal content makes equal files. Any size is supported
// (zip64).
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file);  // file must outlive it
  ZipWriter(const ZipWriter&) = delete;
  ~ZipWriter();

  Status Begin(const std::string& name);
  Status Write(const void* data, size_t size);
  Status End();
  Status Finish();  // call once, last; writes the directory

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opsrun::host
