// plugins/math_ops/isa_kernels.cc
// SPDX-License-Identifier: Apache-2.0
#include "isa_kernels.h"

#include <cstring>

#include "isa_cpu.h"

// MATH_OPS_SETS: the tables of the compiled sets, separated by commas, the fastest last.
extern "C" {
extern const math_ops::Kernels MATH_OPS_SETS;
}

namespace math_ops {
namespace {

bool Runs(const Kernels& kernels, int level) {
  if (std::strcmp(kernels.name, "plain") == 0) return true;
  return kernels.name[std::strlen(kernels.name) - 1] - '0' <= level;
}

template <typename... Sets>
std::vector<const Kernels*> RunnableAmong(const Sets&... sets) {
  const int level = LevelOf(ReadCpuFacts());
  std::vector<const Kernels*> runnable;
  ((Runs(sets, level) ? runnable.push_back(&sets) : void()), ...);
  return runnable;
}

}  // namespace

std::vector<const Kernels*> SupportedKernels() {
  return RunnableAmong(MATH_OPS_SETS);
}

const Kernels* BestKernels() {
  static const Kernels* const best = [] {
    const std::vector<const Kernels*> supported = SupportedKernels();
    return supported.empty() ? nullptr : supported.back();
  }();
  return best;
}

}  // namespace math_ops
