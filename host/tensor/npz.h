// host/tensor/npz.h: NumPy's .npz files: a zip archive with one .npy file for each key.
//
// Reads what np.savez and np.savez_compressed write; np.load reads what it writes.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/base/atomic_file.h"
#include "host/base/status.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// The array `key` of the file. NOT_FOUND, with similar keys or all of them and the subject "key", if it does not exist;
// other errors as ReadNpy.
Result<Tensor> ReadNpz(const std::string& path, const std::string& key, std::optional<DType> as = std::nullopt);

// Parses the bytes of a file; `name` is for messages.
Result<Tensor> ParseNpz(const std::string& bytes, const std::string& name, const std::string& key,
                        std::optional<DType> as = std::nullopt);

// True for a valid key of a new file: not empty, at most 200 bytes, no '/', '\' or control character, so that no
// program that unpacks the archive writes outside its directory.
bool IsNpzKey(const std::string& text);

struct NpzEntry {
  std::string key;
  Tensor tensor;
};

// Writes a temporary file, as WriteNpyAside does. Requires: the keys are distinct, and IsNpzKey is true for them.
Result<AtomicFile> WriteNpzAside(const std::string& path, const std::vector<NpzEntry>& entries);

}  // namespace opsrun::host
