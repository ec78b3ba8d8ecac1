// adapters/pytorch/native/call.cc
// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>

namespace opsrun_torch {
namespace {

// PyTorch throws if memory runs out or sizes are too large; exceptions must not reach a plugin.
template <typename Fn>
int32_t WithoutThrowing(Call& call, Fn fn) {
  try {
    fn();
    return OPSRUN_OK;
  } catch (const std::exception& error) {
    const auto* const known = dynamic_cast<const c10::Error*>(&error);
    return call.Fail(OPSRUN_RESOURCE_EXHAUSTED, known != nullptr ? known->msg() : error.what());
  }
}

bool IsShape(int32_t rank, const int64_t* dims) {
  return rank >= 0 && rank <= OPSRUN_MAX_RANK && std::none_of(dims, dims + rank, [](int64_t size) { return size < 0; });
}

}  // namespace

Call::Call(const opsrun_host* table, const opsrun_kernel_object* its_kernel,
           const std::vector<const TypeNumbers*>& out_types, size_t n_inputs)
    : Frame(table, its_kernel), out_types_(out_types), inputs_(n_inputs), outputs_(out_types.size()) {
  for (const TypeNumbers* type : out_types) out_.push_back(&outputs_.Add(table, *type));
  in_.reserve(n_inputs);
  in = in_.data();
  out = out_.data();
  n_in = static_cast<uint32_t>(n_inputs);
  n_out = static_cast<uint32_t>(out_types.size());
}

void Call::AddInput(const TypeNumbers& type, const at::Tensor& tensor) {
  const at::Tensor& plain = IsPlain(tensor) ? tensor : copies_.emplace_back(PlainCopyOf(tensor));
  in_.push_back(&inputs_.Add(host, type, plain));
}

int32_t Call::Run() {
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(kernel());
  if (const int32_t code = Ended(info.compute(info.object, this)); code != OPSRUN_OK) return code;
  for (uint32_t i = 0; i < n_out; ++i) {
    Owner& output = outputs_[i];
    if (output.rank < 0) return Fail(OPSRUN_INTERNAL, "the kernel did not allocate output " + std::to_string(i));
    if (output.tensor().use_count() > 1) output.Show(CopyOf(output, *out_types_[i]));
  }
  return OPSRUN_OK;
}

int32_t Call::AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  Owner& output = outputs_[i];
  if (output.rank >= 0) return Fail(OPSRUN_INTERNAL, "output " + std::to_string(i) + " is allocated twice");
  if (!IsShape(rank, dims)) return Fail(OPSRUN_INVALID_ARGUMENT, "an output has a negative size or a wrong rank");
  *view = &output;
  return WithoutThrowing(*this, [&] { output.Show(NewTensor(*out_types_[i], {dims, static_cast<size_t>(rank)})); });
}

// Outputs must not share memory, since callers of PyTorch's operators may write to them. A temporary without other
// references at the end of the call is not copied: see Run.
int32_t Call::SetOutput(uint32_t i, const opsrun_tensor* t) {
  const TypeNumbers& type = *out_types_[i];
  if (t->dtype != type.opsrun) return Fail(OPSRUN_INVALID_ARGUMENT, "the tensor has another data type than the output");
  const Temporary* const temporary = t->host == host ? Temporary::Of(t) : nullptr;
  return WithoutThrowing(*this,
                         [&] { outputs_[i].Show(temporary != nullptr ? temporary->tensor() : CopyOf(*t, type)); });
}

int32_t Call::AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t) {
  const TypeNumbers* const type = FindType(dtype);
  if (type == nullptr) return Fail(OPSRUN_UNIMPLEMENTED, "PyTorch has no such temporary tensors");
  if (!IsShape(rank, dims)) return Fail(OPSRUN_INVALID_ARGUMENT, "a temporary has a negative size or a wrong rank");
  return WithoutThrowing(*this, [&] {
    *t = new Temporary(host, *type, NewTensor(*type, {dims, static_cast<size_t>(rank)}));
  });
}

// Copies inputs and outputs, since the program may write to them later.
int32_t Call::Keep(const opsrun_tensor& t, const opsrun_tensor** kept) {
  const TypeNumbers* const type = FindType(t.dtype);
  if (type == nullptr || t.rank < 0) return OPSRUN_FAILED_PRECONDITION;
  try {
    *kept = new Temporary(t.host, *type, CopyOf(t, *type));
    return OPSRUN_OK;
  } catch (const std::exception&) {
    return OPSRUN_RESOURCE_EXHAUSTED;
  }
}

// Blocks take at least 20 microseconds, so that the cost of starting them is small.
int32_t Call::ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
  constexpr int64_t kBlockNs = 20'000;
  const int64_t grain = std::max<int64_t>(1, kBlockNs / std::max<int64_t>(1, unit_cost_ns));
  std::atomic<int32_t> code{OPSRUN_OK};
  at::parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
    int32_t fine = OPSRUN_OK;
    if (const int32_t mine = fn(ctx, begin, end); mine != OPSRUN_OK) code.compare_exchange_strong(fine, mine);
  });
  return code;
}

int32_t Call::NumThreads() const {
  return std::max(1, at::get_num_threads());
}

int32_t Call::CurrentThread() const {
  return at::in_parallel_region() ? at::get_thread_num() : -1;
}

}  // namespace opsrun_torch
