// adapters/pytorch/native/call.cc
// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <algorithm>
#include <atomic>

namespace opsrun_torch {
namespace {

// Memory may run out, and sizes may be too large; exceptions must not reach a plugin.
template <typename Fn>
int32_t WithoutThrowing(Call& call, Fn fn) {
  try {
    fn();
    return OPSRUN_OK;
  } catch (const Error& error) {
    return call.Fail(error.code(), error.what());
  } catch (const std::exception& error) {
    return call.Fail(OPSRUN_RESOURCE_EXHAUSTED, error.what());
  }
}

bool IsShape(int32_t rank, const int64_t* dims) {
  return rank >= 0 && rank <= OPSRUN_MAX_RANK && std::none_of(dims, dims + rank, [](int64_t size) { return size < 0; });
}

// What PyTorch's threads work on.
struct Loop {
  opsrun_range_fn fn;
  void* ctx;
  std::atomic<int32_t> code{OPSRUN_OK};
};

thread_local bool is_in_loop = false;

void RunBlock(int64_t begin, int64_t end, void* of) {
  Loop& loop = *static_cast<Loop*>(of);
  const bool was_in_loop = std::exchange(is_in_loop, true);
  int32_t fine = OPSRUN_OK;
  if (const int32_t mine = loop.fn(loop.ctx, begin, end); mine != OPSRUN_OK) {
    loop.code.compare_exchange_strong(fine, mine);
  }
  is_in_loop = was_in_loop;
}

}  // namespace

Call::Call(const opsrun_host* table, const opsrun_kernel_object* its_kernel,
           const std::vector<const TypeNumbers*>& out_types, size_t n_inputs)
    : Frame(table, its_kernel),
      out_types_(out_types),
      inputs_(n_inputs),
      outputs_(out_types.size()),
      in_(n_inputs),
      out_(out_types.size()) {
  for (const TypeNumbers* type : out_types) out_.Add(&outputs_.Add(table, *type).view);
  in = in_.data();
  out = out_.data();
  n_in = static_cast<uint32_t>(n_inputs);
  n_out = static_cast<uint32_t>(out_types.size());
}

Call::~Call() {
  for (uint32_t i = 0; i < n_out; ++i) {
    if (outputs_[i].from != nullptr) outputs_[i].from->Release();
  }
}

void Call::AddInput(const TypeNumbers& type, AtenTensorHandle tensor, int32_t rank) {
  if (IsPlain(type, tensor, DataOf(tensor))) {
    Borrow(type, tensor, rank);
  } else {
    Add(type, PlainCopyOf(type, tensor), rank);
  }
}

Input& Call::Borrow(const TypeNumbers& type, AtenTensorHandle tensor, int32_t rank) {
  Input& input = inputs_.Add(host, type, tensor, rank, DataOf(tensor));
  in_.Add(&input);
  return input;
}

Input& Call::Add(const TypeNumbers& type, Tensor tensor, int32_t rank) {
  return Borrow(type, copies_.emplace_back(std::move(tensor)).get(), rank);
}

int32_t Call::Run() {
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(kernel());
  if (const int32_t code = info.compute(info.object, this); code != OPSRUN_OK) return code;
  for (uint32_t i = 0; i < n_out; ++i) {
    if (outputs_[i].view.rank < 0) {
      return Fail(OPSRUN_INTERNAL, "the kernel did not allocate output " + std::to_string(i));
    }
    if (outputs_[i].from != nullptr) Detach(i);
  }
  return OPSRUN_OK;
}

// Outputs must not share memory, since callers of PyTorch's operators may write to them. A temporary without other
// references is not copied.
void Call::Detach(uint32_t i) {
  Output& output = outputs_[i];
  if (output.from->IsShared()) {
    const Place place = PlaceOf(output.view);
    output.view.Show(output.from->rank, CopyOf(*output.from, place, *out_types_[i], place));
  }
  std::exchange(output.from, nullptr)->Release();
}

int32_t Call::AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  Owner& output = outputs_[i].view;
  if (output.rank >= 0) return Fail(OPSRUN_INTERNAL, "output " + std::to_string(i) + " is allocated twice");
  if (!IsShape(rank, dims)) return Fail(OPSRUN_INVALID_ARGUMENT, "an output has a negative size or a wrong rank");
  *view = &output;
  return WithoutThrowing(*this, [&] { output.Show(rank, NewTensor(*out_types_[i], rank, dims, PlaceOf(output))); });
}

// Of a tensor that a kernel's constructor made, which is the engine's, and done.
Place Call::PlaceOnCall(const opsrun_tensor& t) const {
  return (t.flags & OPSRUN_TENSOR_HOST) != 0 ? Place() : Place{t.device.id, stream};
}

int32_t Call::SetOutput(uint32_t i, const opsrun_tensor* t) {
  const TypeNumbers& type = *out_types_[i];
  if (t->dtype != type.opsrun) return Fail(OPSRUN_INVALID_ARGUMENT, "the tensor has another data type than the output");
  Output& output = outputs_[i];
  const Place place = PlaceOf(output.view);
  const Place from = t->host == host ? PlaceOf(*t) : PlaceOnCall(*t);
  Temporary* const temporary = t->host == host && from == place ? Temporary::Of(t) : nullptr;
  return WithoutThrowing(*this, [&] {
    output.view.Show(t->rank, temporary == nullptr ? CopyOf(*t, from, type, place) : Share(temporary->tensor()));
    if (temporary != nullptr) temporary->Retain();
    if (Temporary* const other = std::exchange(output.from, temporary)) other->Release();
  });
}

int32_t Call::AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const Place& place,
                           const opsrun_tensor** t) {
  const TypeNumbers* const type = FindType(dtype);
  if (type == nullptr) return Fail(OPSRUN_UNIMPLEMENTED, "PyTorch has no such temporary tensors");
  if (!IsShape(rank, dims)) return Fail(OPSRUN_INVALID_ARGUMENT, "a temporary has a negative size or a wrong rank");
  return WithoutThrowing(*this,
                         [&] { *t = new Temporary(host, *type, rank, NewTensor(*type, rank, dims, place), place); });
}

// Copies inputs and outputs, since the program may write to them later.
int32_t Call::Keep(const opsrun_tensor& t, const opsrun_tensor** kept) {
  const TypeNumbers* const type = FindType(t.dtype);
  if (type == nullptr || t.rank < 0) return OPSRUN_FAILED_PRECONDITION;
  try {
    *kept = new Temporary(t.host, *type, t.rank, CopyOf(t, PlaceOf(t), *type, PlaceOf(t)), PlaceOf(t));
    return OPSRUN_OK;
  } catch (const std::exception&) {
    return OPSRUN_RESOURCE_EXHAUSTED;
  }
}

// Blocks take at least 20 microseconds, so that the cost of starting them is small.
int32_t Call::ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
  constexpr int64_t kBlockNs = 20'000;
  const int64_t grain = std::max<int64_t>(1, kBlockNs / std::max<int64_t>(1, unit_cost_ns));
  Loop loop{fn, ctx};
  if (torch_parallel_for(0, n, grain, RunBlock, &loop) != 0) return Fail(OPSRUN_INTERNAL, "PyTorch's threads failed");
  return loop.code;
}

int32_t Call::NumThreads() const {
  uint32_t n = 1;
  return torch_get_num_threads(&n) == 0 ? static_cast<int32_t>(std::max(1u, n)) : 1;
}

int32_t Call::CurrentThread() const {
  uint32_t thread = 0;
  return is_in_loop && torch_get_thread_idx(&thread) == 0 ? static_cast<int32_t>(thread) : -1;
}

}  // namespace opsrun_torch
