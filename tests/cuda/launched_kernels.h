// tests/cuda/launched_kernels.h: kernels for the ops of tests/host/run/reference_ops.h that run on the fake driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "tests/cuda/fake_driver.h"
#include "tests/host/run/reference_ops.h"

namespace opsrun::host::reference {

// The argument in the process of the kernels: device addresses, and numbers.
struct RowsClosure {
  static constexpr uint32_t kMost = 8;
  uint32_t n_in;
  const int32_t* in[kMost];
  int64_t count[kMost];
  int32_t* out;
};

template <Rows (*fn)(const Rows&, size_t)>
void RunRows(const void* closure) {
  const auto& it = *static_cast<const RowsClosure*>(closure);
  Rows rows;
  for (uint32_t i = 0; i < it.n_in; ++i) rows.emplace_back(it.in[i], it.in[i] + it.count[i]);
  const Row row = fn(rows, 1)[0];
  std::copy(row.begin(), row.end(), it.out);
}

// Enqueues fn of all inputs, for as many elements as the first of them has.
template <Rows (*fn)(const Rows&, size_t)>
int32_t Launch(const opsrun_call* call, const opsrun_tensor& out) {
  RowsClosure closure{call->n_in, {}, {}, Ints(&out)};
  for (uint32_t i = 0; i < call->n_in; ++i) {
    closure.in[i] = Ints(call->in[i]);
    closure.count[i] = Count(call->in[i]);
  }
  const int error = DoubleCalls::Get().launch(call->stream, "rows", RunRows<fn>, &closure, sizeof(closure));
  return error == 0 ? OPSRUN_OK : OPSRUN_INTERNAL;
}

template <Rows (*fn)(const Rows&, size_t)>
int32_t Launched(void*, opsrun_call* call) {
  if (int32_t code = Begin(call)) return code;
  opsrun_tensor* out = nullptr;
  if (int32_t code = AllocateLikeInput(call, &out)) return code;
  return Launch<fn>(call, *out);
}

// In the memory of its input, if the host allows it.
inline int32_t TwiceLaunched(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  if (int32_t code = BeginInPlace(call, &out)) return code;
  return Launch<Twice>(call, *out);
}

// Returns a temporary as the output.
inline int32_t SetToLaunched(void*, opsrun_call* call) {
  int32_t launched = OPSRUN_OK;
  const int32_t set = SetToTemporary(call, call->in[0]->rank, call->in[0]->shape,
                                     [&](const opsrun_tensor& temp) { launched = Launch<Sum>(call, temp); });
  return launched == OPSRUN_OK ? set : launched;
}

template <typename Fn>
void AddLaunchedKernels(InProcessOps& ops, Fn wants) {
  static const std::vector<std::pair<std::string, ComputeFn>> kernels = {{"Sum", Launched<Sum>},
                                                                         {"SumInPlace", Launched<Sum>},
                                                                         {"LateSum", Launched<Sum>},
                                                                         {"Twice", TwiceLaunched},
                                                                         {"LateTwice", TwiceLaunched},
                                                                         {"Share", Share},
                                                                         {"LateShare", Share},
                                                                         {"Temporary", SetToLaunched},
                                                                         {"LateTemporary", SetToLaunched},
                                                                         {"Loop", Launched<TwiceTheSum>},
                                                                         {"Keep", Keep}};
  for (const auto& [name, compute] : kernels) {
    const auto op = std::find_if(Ops().begin(), Ops().end(), [&](const Op& each) { return each.strings.name == name; });
    if (!wants(name)) continue;
    RegisteredKernel& kernel = ops.AddKernel(name, compute, op->create);
    kernel.def.device = "GPU";
    if (name != "Keep") kernel.flags = OPSRUN_KERNEL_CAPTURABLE;
    kernel.aliases = op->aliases;
    kernel.destroy = op->destroy;
  }
}

}  // namespace opsrun::host::reference
