// host/plan/plan.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/plan.h"

#include <algorithm>

namespace opsrun::host {

size_t ArenaBytes(const PlanValue& value) {
  constexpr size_t kAlignment = 64;
  const size_t bytes = static_cast<size_t>(*NumElements(value.shape)) * DTypeSize(value.dtype);
  return std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

Plan::~Plan() {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->kernel != nullptr && step->kernel->destroy != nullptr) step->kernel->destroy(step->object);
  }
}

}  // namespace opsrun::host
