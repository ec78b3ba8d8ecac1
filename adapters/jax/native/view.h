// adapters/jax/native/view.h: XLA's buffers and temporary memory as a kernel sees them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "adapters/common/view.h"
#include "opsrun/embed_host.h"
#include "types.h"

namespace opsrun_jax {

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
