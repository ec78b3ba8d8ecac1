// host/tensor/zip_reader.h: zip archives in memory, member by member. The only user of zlib.
//
// Reads plain and zip64 archives, also streamed ones (sizes after the data), and archives with other bytes before them.
// Archives are hostile: a size is compared with what the archive can hold before memory is allocated for it, and a
// member counts as read only once its checksum is right. Messages begin with a verb, for a file's name before them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/status.h"

namespace opsrun::host {

class ZipReader {
 public:
  // INVALID_ARGUMENT if the bytes, which outlive the reader, are not a whole archive. Takes time and memory for the
  // names of the members only.
  static Result<ZipReader> Open(std::string_view bytes);

  // Views of the archive's bytes.
  const std::vector<std::string_view>& names() const { return names_; }

  // The size that the directory states for member i. INVALID_ARGUMENT if the member has too few bytes for it;
  // UNIMPLEMENTED if it is encrypted or compressed by a method other than deflate.
  Result<uint64_t> Size(size_t i) const;
  // The first `count` bytes of member i; all of it, with its checksum verified, if it has no more.
  Result<std::string> Read(size_t i, uint64_t count) const;

 private:
  ZipReader(std::string_view bytes, uint64_t start) : bytes_(bytes), start_(start) {}
  Status List(std::string_view directory);

  std::string_view bytes_;
  uint64_t start_;  // of the archive in the bytes: offsets count from here
  std::vector<std::string_view> names_;
  std::vector<std::string_view> records_;  // of the directory, from each member's on
};

}  // namespace opsrun::host
