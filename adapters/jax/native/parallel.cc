// adapters/jax/native/parallel.cc: runs kernels' loops on XLA's threads.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>

#include "call.h"

namespace opsrun_jax {
namespace {

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
