// adapters/jax/native/call.cc
// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "adapters/common/engine.h"

namespace opsrun_jax {
namespace {

// Host bit of opsrun_tensor::flags.
constexpr uint32_t kAllocated = 1u << 17;

std::string ShapeText(int32_t rank, const int64_t* sizes) {
  std::string text = "[";
  for (int32_t i = 0; i < rank; ++i) text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  return text + "]";
}

bool HasShape(const opsrun_tensor& view, int32_t rank, const int64_t* dims) {
  return view.rank == rank &&
         std::memcmp(view.shape == nullptr ? dims : view.shape, dims, 8 * static_cast<size_t>(rank)) == 0;
}

// A tensor with one reference and undefined contents. Null if out of memory.
opsrun_tensor* MakeTemporary(const opsrun_host* host, const TypeNumbers& type, int32_t rank, const int64_t* dims,
                             size_t bytes) {
  std::unique_ptr<Call::Temporary> made(new (std::nothrow) Call::Temporary(host, type, rank, dims, bytes));
  return made == nullptr || made->data == nullptr ? nullptr : made.release();
}

// This thread's index in the loop whose block it runs, -1 on the thread of the call; and whether it is running one.
thread_local int32_t index_in_loop = -1;
thread_local bool in_loop = false;

void Ignore(const XLA_FFI_Api& api, XLA_FFI_Error* error) {
  XLA_FFI_Error_Destroy_Args args{XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  api.XLA_FFI_Error_Destroy(&args);
}

// Threads take blocks until none are left. A helper that starts after the call has returned finds none and accesses
// only this object, of which it holds a share.
class Loop {
 public:
  Loop(int64_t n, int64_t block, opsrun_range_fn fn, void* ctx)
      : n_(n), block_(block), n_blocks_((n + block - 1) / block), fn_(fn), ctx_(ctx) {}

  int64_t n_blocks() const { return n_blocks_; }

  void Help() {
    index_in_loop = helpers_.fetch_add(1, std::memory_order_relaxed);
    Work();
    index_in_loop = -1;
  }

  void Work() {
    in_loop = true;
    for (int64_t i = 0; (i = next_.fetch_add(1)) < n_blocks_;) RunBlock(i);
    in_loop = false;
  }

  int32_t Wait() {
    for (int64_t done = 0; (done = done_.load()) < n_blocks_;) done_.wait(done);
    return code_.load();
  }

 private:
  void RunBlock(int64_t i) {
    if (code_.load(std::memory_order_relaxed) == OPSRUN_OK) {
      const int32_t mine = fn_(ctx_, i * block_, std::min(n_, (i + 1) * block_));
      int32_t fine = OPSRUN_OK;
      if (mine != OPSRUN_OK) code_.compare_exchange_strong(fine, mine);
    }
    if (done_.fetch_add(1) + 1 == n_blocks_) done_.notify_all();
  }

  const int64_t n_, block_, n_blocks_;
  const opsrun_range_fn fn_;
  void* const ctx_;
  std::atomic<int64_t> next_{0}, done_{0};
  std::atomic<int32_t> helpers_{0}, code_{OPSRUN_OK};
};

// False if XLA has no threads.
bool Schedule(const XLA_FFI_CallFrame& frame, const std::shared_ptr<Loop>& loop) {
  auto* const shared = new std::shared_ptr<Loop>(loop);
  const auto help = [](void* data) {
    const std::unique_ptr<std::shared_ptr<Loop>> its(static_cast<std::shared_ptr<Loop>*>(data));
    (*its)->Help();
  };
  XLA_FFI_ThreadPool_Schedule_Args args{XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE, nullptr, frame.ctx, help, shared};
  XLA_FFI_Error* const error = frame.api->XLA_FFI_ThreadPool_Schedule(&args);
  if (error == nullptr) return true;
  delete shared;
  Ignore(*frame.api, error);
  return false;
}

}  // namespace

Call::Call(const opsrun_host* table, const TypedOp& op, const opsrun_kernel_object& kernel,
           const XLA_FFI_CallFrame& frame)
    : Frame(table, &kernel), op_(op), frame_(frame) {}

int32_t Call::Run() {
  if (const int32_t code = ShowBuffers(); code != OPSRUN_OK) return code;
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(kernel());
  return info.compute(info.object, this);
}

int32_t Call::ShowBuffers() {
  const auto n_inputs = static_cast<size_t>(frame_.args.size), n_outputs = static_cast<size_t>(frame_.rets.size);
  if (n_inputs != op_.in_types().size() || n_outputs != op_.out_types().size()) {
    return Fail(OPSRUN_INTERNAL, "the XLA program calls it with a different number of arrays");
  }
  opsrun_tensor** const pointers = pointers_.Take(n_inputs + n_outputs);
  const Expected* const expected = op_.expected().data();
  in = pointers;
  out = pointers + n_inputs;
  n_in = static_cast<uint32_t>(n_inputs);
  n_out = static_cast<uint32_t>(n_outputs);
  for (size_t i = 0; i < n_inputs; ++i) {
    const int32_t code = ShowBuffer(expected[i], frame_.args.args[i], pointers[i]);
    if (code != OPSRUN_OK) return code;
  }
  for (size_t i = 0; i < n_outputs; ++i) {
    const int32_t code = ShowBuffer(expected[n_inputs + i], frame_.rets.rets[i], pointers[n_inputs + i]);
    if (code != OPSRUN_OK) return code;
  }
  return OPSRUN_OK;
}

inline int32_t Call::ShowBuffer(const Expected& expected, const void* buffer, opsrun_tensor*& view) {
  const auto& array = *static_cast<const XLA_FFI_Buffer*>(buffer);
  if (array.dtype != expected.xla) {
    return Fail(OPSRUN_INTERNAL, "the XLA program has an array of a different data type");
  }
  if (array.rank > OPSRUN_MAX_RANK) return Fail(OPSRUN_INVALID_ARGUMENT, "an array has more than 64 dimensions");
  const auto rank = static_cast<int32_t>(array.rank);
  view = views_.Take(1);
  *view = expected.view;
  view->host = host;
  opsrun_adapter::Show(*view, array.data, rank, array.dims, strides_.Take(static_cast<size_t>(rank)));
  return OPSRUN_OK;
}

std::string Call::OutputName(uint32_t i) const {
  return opsrun_adapter::OutputName(op_.info(), i);
}

int32_t Call::NoteAllocated(uint32_t i) {
  if ((out[i]->flags & kAllocated) != 0) return Fail(OPSRUN_INTERNAL, OutputName(i) + " is allocated twice");
  out[i]->flags |= kAllocated;
  return OPSRUN_OK;
}

// XLA owns the memory, and its shape was fixed when the program was traced.
int32_t Call::AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  if (const int32_t code = NoteAllocated(i); code != OPSRUN_OK) return code;
  if (rank < 0 || rank > OPSRUN_MAX_RANK || !HasShape(*out[i], rank, dims)) {
    return Fail(OPSRUN_INVALID_ARGUMENT, OutputName(i) + " has the shape " + ShapeText(rank, dims) +
                                             ", but the program was traced with " +
                                             ShapeText(out[i]->rank, out[i]->shape));
  }
  *view = out[i];
  return OPSRUN_OK;
}

int32_t Call::ReplaceOutput(uint32_t i, const opsrun_tensor& t, size_t& bytes) {
  if (t.dtype != op_.out_types()[i]->opsrun) {
    return Fail(OPSRUN_INVALID_ARGUMENT, "the tensor has another data type than " + OutputName(i));
  }
  out[i]->flags &= ~kAllocated;  // replaces an allocated output
  opsrun_tensor* view = nullptr;
  if (const int32_t code = AllocateOutput(i, t.rank, t.shape, &view); code != OPSRUN_OK) return code;
  CountBytes(*op_.out_types()[i], t.rank, t.shape, bytes);
  return OPSRUN_OK;
}

int32_t Call::SetOutput(uint32_t i, const opsrun_tensor* t) {
  size_t bytes = 0;
  if (const int32_t code = ReplaceOutput(i, *t, bytes); code != OPSRUN_OK) return code;
  if (bytes > 0) std::memmove(out[i]->data, t->data, bytes);
  return OPSRUN_OK;
}

int32_t Call::CheckTemp(int32_t dtype, int32_t rank, const int64_t* dims, const TypeNumbers*& type, size_t& bytes) {
  type = FindType(dtype);
  if (type == nullptr) return Fail(OPSRUN_UNIMPLEMENTED, "JAX has no such temporary tensors");
  if (CountBytes(*type, rank, dims, bytes)) return OPSRUN_OK;
  return Fail(OPSRUN_INVALID_ARGUMENT, "a temporary has a negative size, a wrong rank or too many elements");
}

int32_t Call::AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t) {
  const TypeNumbers* type = nullptr;
  size_t bytes = 0;
  if (const int32_t code = CheckTemp(dtype, rank, dims, type, bytes); code != OPSRUN_OK) return code;
  opsrun_tensor* const made = MakeTemporary(host, *type, rank, dims, bytes);
  if (made == nullptr) return Fail(OPSRUN_RESOURCE_EXHAUSTED, "there is not enough memory for a temporary");
  *t = made;
  return OPSRUN_OK;
}

// Copies inputs and outputs, since XLA reuses their memory.
int32_t Call::Keep(const opsrun_tensor& t, const opsrun_tensor** kept) {
  const TypeNumbers* const type = FindType(t.dtype);
  size_t bytes = 0;
  if (type == nullptr || !CountBytes(*type, t.rank, t.shape, bytes)) return OPSRUN_FAILED_PRECONDITION;
  opsrun_tensor* const copy = MakeTemporary(t.host, *type, t.rank, t.shape, bytes);
  if (copy == nullptr) return OPSRUN_RESOURCE_EXHAUSTED;
  if (bytes > 0) std::memcpy(copy->data, t.data, bytes);
  *kept = copy;
  return OPSRUN_OK;
}

// Blocks take at least 20 microseconds, so that the cost of starting them is small. There are several per thread, so
// that all threads finish at about the same time.
int32_t Call::ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
  constexpr int64_t kBlockNs = 20'000, kBlocksPerThread = 4;
  if (n <= 0) return OPSRUN_OK;
  const int64_t threads = in_loop ? 1 : NumThreads();
  const int64_t least = std::max<int64_t>(1, kBlockNs / std::max<int64_t>(1, unit_cost_ns));
  const int64_t even = (n + threads * kBlocksPerThread - 1) / (threads * kBlocksPerThread);
  if (threads == 1 || n <= least) return fn(ctx, 0, n);
  const auto loop = std::make_shared<Loop>(n, std::max(least, even), fn, ctx);
  for (int64_t i = 1; i < std::min(threads, loop->n_blocks()); ++i) {
    if (!Schedule(frame_, loop)) break;
  }
  loop->Work();
  return loop->Wait();
}

int32_t Call::NumThreads() const {
  int64_t n = 1;
  XLA_FFI_ThreadPool_NumThreads_Args args{XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE, nullptr, frame_.ctx, &n};
  if (XLA_FFI_Error* const error = frame_.api->XLA_FFI_ThreadPool_NumThreads(&args)) {
    Ignore(*frame_.api, error);
    return 1;
  }
  return static_cast<int32_t>(std::max<int64_t>(1, n));
}

int32_t Call::CurrentThread() const {
  return index_in_loop;
}

}  // namespace opsrun_jax
