// host/tensor/mapped_files.h: arrays that stay in their files, whose pages the system reads when they are used and all
// processes share.
//
// What such a file holds must not change as long as its arrays are used; another file may take its place. A file that
// becomes shorter, or that cannot be read, does not end the process: what is missing is read as zeros, and Check fails.
// For that, the first file that is mapped installs a handler of SIGBUS, which passes on all other signals to the
// handler before it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/dtype.h"
#include "host/base/file.h"
#include "host/base/status.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// For errors of Check.
inline constexpr char kHelpReplaceFile[] =
    "load the graph again; to change an array, write another file and rename it, since large arrays stay in their "
    "files";

// A file with arrays that are used.
struct MappedFile {
  std::string path;
  FileState state;                                // when it was mapped
  std::shared_ptr<const std::atomic<bool>> lost;  // a page could not be read

  // FAILED_PRECONDITION, naming the file, if it was written to since, is shorter now, or could not be read; the subject
  // is "file". Any thread.
  Status Check() const;
};

// Any thread.
class MappedFiles {
 public:
  static constexpr size_t kLeastArray = size_t{1} << 20;

  // least: bytes of the smallest file that is mapped.
  explicit MappedFiles(size_t least = kLeastArray) : least_(least) {}

  // The array of a .npy file, if its bytes are those of a tensor.
  std::optional<Tensor> Map(const std::string& path, std::optional<DType> as);
  // The array `key` of a .npz file, or the error about it; an array that is compressed, small, or not aligned is
  // copied. Nothing if the file cannot be mapped.
  std::optional<Result<Tensor>> MapMember(const std::string& path, const std::string& key, std::optional<DType> as);

  // All bytes of a file, which can be written to without changing it, and their owner. Nothing if it cannot be mapped.
  std::optional<std::pair<std::shared_ptr<void>, std::string_view>> MapAll(const std::string& path);

  // The first error of the files' Check.
  Status Check() const;
  std::vector<MappedFile> files() const;

 private:
  void Keep(MappedFile file);

  const size_t least_;
  mutable std::mutex mutex_;  // guards files_
  std::vector<MappedFile> files_;
};

}  // namespace opsrun::host
