// host/tensor/zip_writer.h: writes zip archives, member by member. The only user of minizip.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/base/atomic_file.h"
#include "host/base/status.h"

namespace opsrun::host {

// Members are stored uncompressed and without a time: equal content makes equal files. They may have any size (zip64).
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
