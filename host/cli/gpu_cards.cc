// host/cli/gpu_cards.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/gpu_cards.h"

#include <optional>

#include "host/cuda/driver.h"

namespace opsrun::host {

GpuCards GpuCardsHere() {
  return [known = std::optional<std::vector<Capability>>()]() mutable {
    if (known) return *known;
    known.emplace();
    for (const CudaCard& card : LookAtCudaCards().cards)
      known->push_back(static_cast<Capability>(card.major * 10 + card.minor));
    return *known;
  };
}

}  // namespace opsrun::host
