// host/tensor/npy.h: NumPy's .npy files, and .npz files: zip archives with one .npy file for each key.
//
// Reads versions 1 to 3 of the format (NEP 1), C and Fortran order, both byte orders; the result is dense, row-major
// and native. Rejects, with a message, object arrays, structured types, sizes that do not match the file, and data
// types that opsrun does not support. np.load reads what is written here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/base/atomic_file.h"
#include "host/base/status.h"
#include "host/tensor/npy_header.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// Reads `path`. NumPy has no bfloat16 and no float8: opaque elements of two bytes ("|V2") are read as bfloat16, and
// those of one byte ("|V1") as a float8 type, only if `as` requests it.
Result<Tensor> ReadNpy(const std::string& path, std::optional<DType> as = std::nullopt);

// Parses the bytes of a .npy file; `name` is for messages.
Result<Tensor> ParseNpy(const std::string& bytes, const std::string& name, std::optional<DType> as = std::nullopt);

// Writes a temporary file; Commit of the result renames it to `path`, so that several files can appear together. Until
// then, an existing file is unchanged. bfloat16 is written as "|V2", float8 types as "|V1", quantized types as their
// integers.
Result<AtomicFile> WriteNpyAside(const std::string& path, const Tensor& tensor);

// Receives the next bytes of a file.
using ByteSink = std::function<Status(const void* bytes, size_t count)>;

// Passes the bytes of a .npy file to `write` in pieces until that fails. INVALID_ARGUMENT, with `path`, for a string
// that NumPy cannot represent.
Status WriteNpyTo(const Tensor& tensor, const std::string& path, const ByteSink& write);

// OK if `found`, the number of bytes after the header, is what the header requires.
Status CheckNpySize(const NpyHeader& header, size_t found);

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
