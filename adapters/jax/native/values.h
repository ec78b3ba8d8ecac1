// adapters/jax/native/values.h: opsrun's data types and tensors as XLA represents them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "adapters/common/values.h"
#include "opsrun/embed_host.h"
#include "xla/ffi/api/c_api.h"

namespace opsrun_jax {

struct TypeNumbers {
  int32_t opsrun;  // OPSRUN_DT_*
  XLA_FFI_DataType xla;
  opsrun_dldtype dl;

  size_t bytes() const { return dl.bits / 8; }  // per element
};

// Null for a type that XLA does not have, such as strings. Quantized types are integers in XLA.
const TypeNumbers* FindType(int32_t dtype);

// Computes the number of bytes of a shape. False if a size is negative, the rank is wrong, or the number too large.
bool CountBytes(const TypeNumbers& type, int32_t rank, const int64_t* dims, size_t& bytes);

// A tensor that owns its memory.
class Owner : public opsrun_tensor {
 public:
  // The contents are undefined; data is null if out of memory. bytes: from CountBytes.
  Owner(const opsrun_host* its_host, const TypeNumbers& type, int32_t its_rank, const int64_t* dims, size_t bytes);
  Owner(const Owner&) = delete;
  ~Owner() { std::free(data); }

 private:
  std::vector<int64_t> sizes_;  // shape, then strides
};

}  // namespace opsrun_jax
