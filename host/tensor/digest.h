// host/tensor/digest.h: digests, which tell whether arrays and files are those of an earlier time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "host/base/status.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// XXH3 of bytes, in 128 bits: of arrays and files. Detects accidental differences only.
class Digest {
 public:
  Digest();
  Digest(Digest&&) noexcept;
  ~Digest();
  void Add(std::string_view bytes);  // preceded by its size: "ab", "c" and "a", "bc" differ
  void Add(const Tensor& tensor);    // type, shape and elements
  // All bytes of the file, preceded by their number. Errors name it and the reason.
  Status AddFile(const std::string& path);
  std::string Hex();  // 32 digits

 private:
  friend Result<std::string> DigestOfFile(const std::string& path);
  void Update(std::string_view bytes);
  Status UpdateFromFile(const std::string& path);

  struct State;
  std::string collected_;  // bytes that state_ has not got yet: all, if there are few
  std::unique_ptr<State> state_;
};

// The digest of the file's bytes alone, as `xxhsum -H2` prints it. Errors name the file and the reason.
Result<std::string> DigestOfFile(const std::string& path);

}  // namespace opsrun::host
