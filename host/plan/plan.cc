// host/plan/plan.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/plan.h"

namespace opsrun::host {

Plan::~Plan() {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->kernel != nullptr && step->kernel->destroy != nullptr) step->kernel->destroy(step->object);
  }
}

}  // namespace opsrun::host
