// host/threads/parallel_for.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/threads/parallel_for.h"

#include <algorithm>
#include <atomic>

namespace opsrun::host {
namespace {

// A block must take much longer than waking a worker and two cache misses.
constexpr int64_t kBlockNs = 20'000;
constexpr int64_t kBlocksPerThread = 4;

thread_local bool inside_a_block = false;

class Loop : public ThreadPool::Job {
 public:
  Loop(int64_t n, int64_t blocks, RangeFn fn, void* context) : n_(n), blocks_(blocks), fn_(fn), context_(context) {}

  void Help() override {
    const RunningMark mark(running_);
    const FloatingPointMode floats;
    inside_a_block = true;
    for (int64_t block = Claim(); block < blocks_ && code() == 0; block = Claim()) Run(block);
    inside_a_block = false;
    floats.Restore();  // the thread goes on to work for others
  }
  bool IsBrief() const override { return true; }
  int32_t code() const { return code_.load(std::memory_order_relaxed); }

 private:
  int64_t Claim() { return next_.fetch_add(1, std::memory_order_relaxed); }
  // The first n % blocks blocks have one more index.
  int64_t Begin(int64_t block) const { return block * (n_ / blocks_) + std::min(block, n_ % blocks_); }
  void Run(int64_t block) {
    const int32_t code = fn_(context_, Begin(block), Begin(block + 1));
    int32_t none = 0;
    if (code != 0) code_.compare_exchange_strong(none, code, std::memory_order_relaxed);
  }

  const int64_t n_, blocks_;
  const RangeFn fn_;
  void* const context_;
  const PluginCode* const running_ = RunningCode();  // the code that started the loop
  std::atomic<int64_t> next_{0};
  std::atomic<int32_t> code_{0};
};

int64_t BlockCount(int64_t n, int64_t unit_cost_ns, int threads) {
  const int64_t cost = std::clamp<int64_t>(unit_cost_ns, 1, kBlockNs);
  const int64_t worth = n / ((kBlockNs + cost - 1) / cost);
  return std::clamp<int64_t>(worth, 1, std::min<int64_t>(n, kBlocksPerThread * threads));
}

}  // namespace

int32_t ParallelFor(ThreadPool& pool, int64_t n, int64_t unit_cost_ns, RangeFn fn, void* context) {
  if (n <= 0) return 0;
  const int64_t blocks = inside_a_block ? 1 : BlockCount(n, unit_cost_ns, pool.threads());
  if (blocks == 1 || pool.threads() == 1) return fn(context, 0, n);
  Loop loop(n, blocks, fn, context);
  pool.Invite(loop, static_cast<int>(std::min<int64_t>(blocks, pool.threads()) - 1));
  loop.Help();
  pool.Dismiss(loop);
  return loop.code();
}

}  // namespace opsrun::host
