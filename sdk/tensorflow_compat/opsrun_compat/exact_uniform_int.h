// opsrun_compat/exact_uniform_int.h: random::ExactUniformInt: every number below a limit is equally likely.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace random {

// A number of [0, limit), from as many calls of bits(), all of whose bits are random, as it takes. 0 if the limit is 0.
template <typename Unsigned, typename Bits>
Unsigned ExactUniformInt(const Unsigned limit, const Bits& bits) {
  Unsigned sample = bits();
  if ((limit & (limit - 1)) == 0) return limit == 0 ? 0 : sample & (limit - 1);
  // The samples below `excess` would make low numbers likelier, so they are drawn again: the rest is a multiple of
  // limit.
  const Unsigned excess = static_cast<Unsigned>(static_cast<Unsigned>(-1) % limit + 1);
  while (sample < excess) sample = bits();
  return sample % limit;
}

}  // namespace random
}  // namespace OPSRUN_HIDDEN
