// tests/cuda/emulation/threads.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/emulation/threads.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace opsrun_emulation {
namespace {

constexpr size_t kStack = 64 * 1024, kMostThreads = 1024, kMostShared = 48 * 1024;
constexpr int kWarp = 32;

struct Fiber {
  enum class State { kReady, kAtBlock, kAtWarp, kDone };
  ucontext_t context;
  ThreadState self;
  State state = State::kDone;
  unsigned mask = 0;  // kAtWarp
};

// The running block, in the process of the kernels.
class Block {
 public:
  Block()
      : stacks_(static_cast<char*>(mmap(nullptr, kStack * kMostThreads, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0))),
        fibers_(kMostThreads),
        slots_(kMostThreads * 16),
        shared_(kMostShared) {}

  void Run(const Geometry& geometry, uint3 block, void (*body)(const void*), const void* closure) {
    body_ = body;
    closure_ = closure;
    count_ = geometry.block.x * geometry.block.y * geometry.block.z;
    std::fill(shared_.begin(), shared_.end(), '\xDB');
    for (unsigned i = 0; i < count_; ++i) Make(i, geometry, block);
    while (Step()) {
    }
  }
  Fiber& current() { return *current_; }
  void Suspend(Fiber::State state, unsigned mask) {
    current_->state = state;
    current_->mask = mask;
    swapcontext(&current_->context, &scheduler_);
  }
  char* slot(int thread) { return &slots_[static_cast<size_t>(thread) * 16]; }
  void* shared() { return shared_.data(); }

 private:
  static void Begin();

  void Make(unsigned i, const Geometry& geometry, uint3 block) {
    Fiber& fiber = fibers_[i];
    const unsigned x = geometry.block.x, y = geometry.block.y;
    fiber.self = {{i % x, i / x % y, i / x / y}, block, geometry.block, geometry.grid, static_cast<int>(i)};
    fiber.state = Fiber::State::kReady;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = stacks_ + i * kStack;
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = &scheduler_;
    makecontext(&fiber.context, Begin, 0);
  }

  // Runs all ready threads, and releases those whose wait is over. False: all have ended, or they are deadlocked.
  bool Step() {
    static const bool reverse = std::getenv("OPSRUN_DOUBLE_THREADS") != nullptr &&
                                std::string(std::getenv("OPSRUN_DOUBLE_THREADS")) == "reverse";
    for (unsigned k = 0; k < count_; ++k) {
      Fiber& fiber = fibers_[reverse ? count_ - 1 - k : k];
      if (fiber.state != Fiber::State::kReady) continue;
      current_ = &fiber;
      swapcontext(&scheduler_, &fiber.context);
    }
    if (ReleaseWarps() || ReleaseBlock()) return true;
    if (!AllDone()) FaultOfKernel("some of its threads wait at a barrier that others never reach");
    return false;
  }

  bool IsWaiting(unsigned i) const { return i < count_ && fibers_[i].state == Fiber::State::kAtWarp; }
  bool IsDone(unsigned i) const { return i >= count_ || fibers_[i].state == Fiber::State::kDone; }

  bool ReleaseWarps() {
    bool released = false;
    for (unsigned first = 0; first < count_; first += kWarp) {
      for (unsigned i = first; i < first + kWarp; ++i) {
        if (!IsWaiting(i) || !IsComplete(first, fibers_[i].mask)) continue;
        const unsigned mask = fibers_[i].mask;
        for (unsigned lane = 0; lane < kWarp; ++lane) {
          if ((mask >> lane & 1) != 0 && IsWaiting(first + lane)) fibers_[first + lane].state = Fiber::State::kReady;
        }
        released = true;
      }
    }
    return released;
  }
  bool IsComplete(unsigned first, unsigned mask) const {
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      if ((mask >> lane & 1) == 0 || IsDone(first + lane)) continue;
      if (!IsWaiting(first + lane) || fibers_[first + lane].mask != mask) return false;
    }
    return true;
  }

  bool ReleaseBlock() {
    bool any = false;
    for (unsigned i = 0; i < count_; ++i) {
      if (IsDone(i)) continue;
      if (fibers_[i].state != Fiber::State::kAtBlock) return false;
      any = true;
    }
    for (unsigned i = 0; any && i < count_; ++i) {
      if (!IsDone(i)) fibers_[i].state = Fiber::State::kReady;
    }
    return any;
  }
  bool AllDone() const {
    return std::all_of(fibers_.begin(), fibers_.begin() + count_,
                       [](const Fiber& fiber) { return fiber.state == Fiber::State::kDone; });
  }

  char* const stacks_;
  std::vector<Fiber> fibers_;
  std::vector<char> slots_, shared_;
  ucontext_t scheduler_;
  Fiber* current_ = nullptr;
  unsigned count_ = 0;
  void (*body_)(const void*) = nullptr;
  const void* closure_ = nullptr;
};

// Never destroyed. It is created where kernels run, in a fork of a process with threads, and another thread may have
// held the lock for registering destructors when the process forked.
Block& TheBlock() {
  static Block* const block = new Block;
  return *block;
}

void Block::Begin() {
  Block& block = TheBlock();
  block.body_(block.closure_);
  block.current_->state = Fiber::State::kDone;
}

cudaError_t CheckGeometry(const Geometry& geometry) {
  const dim3 &grid = geometry.grid, &block = geometry.block;
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  const bool fits = threads > 0 && threads <= kMostThreads && block.z <= 64 && grid.x > 0 && grid.y > 0 && grid.z > 0 &&
                    grid.x <= 0x7fffffffu && grid.y <= 65535 && grid.z <= 65535 && geometry.shared <= kMostShared;
  return fits ? cudaSuccess : cudaErrorInvalidConfiguration;
}

}  // namespace

const ThreadState& Current() {
  return TheBlock().current().self;
}
void AwaitBlock() {
  TheBlock().Suspend(Fiber::State::kAtBlock, 0);
}
void AwaitWarp(unsigned mask) {
  TheBlock().Suspend(Fiber::State::kAtWarp, mask);
}
void* SharedMemory() {
  return TheBlock().shared();
}
char* ExchangeSlot(int thread) {
  return TheBlock().slot(thread);
}

void RunGrid(const Geometry& geometry, void (*body)(const void*), const void* closure) {
  for (unsigned z = 0; z < geometry.grid.z; ++z) {
    for (unsigned y = 0; y < geometry.grid.y; ++y) {
      for (unsigned x = 0; x < geometry.grid.x; ++x) TheBlock().Run(geometry, {x, y, z}, body, closure);
    }
  }
}

cudaError_t Enqueue(const Geometry& geometry, cudaStream_t stream, void (*run)(const void*), const void* closure,
                    size_t bytes) {
  __cudaPushCallConfiguration(geometry.grid, geometry.block, geometry.shared, stream);
  cudaError_t error = CheckGeometry(geometry);
  if (error == cudaSuccess) error = LaunchOnDouble(stream, run, closure, bytes);
  return NoteError(error);
}

}  // namespace opsrun_emulation
