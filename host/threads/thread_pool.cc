// SPDX-License-Identifier: Apache-2.0
#include "host/threads/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace opsrun::host {
namespace {

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The pool that the calling thread works for, and its index there.
struct Seat {
  const ThreadPool* pool = nullptr;
  int number = -1;
};
thread_local Seat seat;

// Sleeping and waking take longer than many runs, so a thread that becomes idle polls for a while first.
constexpr std::chrono::microseconds kSpin{50};
// A thread moves to another processor at most once in that time.
constexpr std::chrono::milliseconds kRest{1};

// Until done() or the time is over.
template <typename Done>
void SpinUntil(Done done) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  while (!done() && std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 16 && !done(); ++i) Pause();
  }
}

// For a thread that woke up on the processor of the one that it is to help: the system may leave both there for many
// milliseconds, although another one is idle. The set of allowed processors is as before afterwards.
void LeaveProcessor(int processor, int threads) {
  static thread_local std::chrono::steady_clock::time_point last;
  const auto now = std::chrono::steady_clock::now();
  cpu_set_t allowed;
  if (now - last < kRest || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  last = now;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<size_t>(processor), &others);
  if (CPU_COUNT(&others) + 1 < threads || CPU_COUNT(&others) == 0) return;
  if (sched_setaffinity(0, sizeof others, &others) == 0) sched_setaffinity(0, sizeof allowed, &allowed);
}

// How many forks lie between this process and the first one. A fact of the process, so it is a global variable; the
// kernel tells it only by a call that would take longer than the rest.
std::atomic<uint32_t> forks{0};

uint32_t CountForks() {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  return forks.load(std::memory_order_relaxed);
}

}  // namespace

ThreadPool::ThreadPool(int threads, std::function<void()> begin) : born_(CountForks()) {
  for (int i = 0; i + 1 < threads; ++i) {
    std::thread worker = StartThread([this, i, begin] {
      if (begin) begin();
      Work(i);
    });
    if (!worker.joinable()) return;
    workers_.push_back(std::move(worker));
  }
}

// In a child of fork the lock may be that of a thread which does not exist, and there is nobody to join: what is left
// of the threads stays in memory.
ThreadPool::~ThreadPool() {
  if (!HasWorkers()) {
    if (!workers_.empty()) new std::vector<std::thread>(std::move(workers_));
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  Wake(threads(), threads());
  for (std::thread& worker : workers_) worker.join();
}

bool ThreadPool::HasWorkers() const {
  return !workers_.empty() && forks.load(std::memory_order_relaxed) == born_;
}

int ThreadPool::CurrentThread() const {
  return seat.pool == this ? seat.number : -1;
}

// Call without the lock, or spinning threads would block on it. `asleep`: sleeping threads, counted while the lock was
// held. To wake all, use notify_all: threads that went to sleep since then already know the news, but could receive a
// notify_one that was meant for another thread.
void ThreadPool::Wake(int threads, int asleep) {
  news_.fetch_add(1, std::memory_order_release);
  if (threads >= asleep && asleep > 0) return news_.notify_all();
  for (int i = 0; i < threads; ++i) news_.notify_one();
}

void ThreadPool::Invite(Job& job, int helpers) {
  if (!HasWorkers() || helpers <= 0) return;
  int woken = 0, asleep = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::find(jobs_.begin(), jobs_.end(), &job) == jobs_.end()) jobs_.push_back(&job);
    job.wanted_ = std::min(job.wanted_ + helpers, threads() - job.helpers_);
    job.invited_on_ = sched_getcpu();
    // Threads that wait for other jobs cannot join this one, so do not rely on waking only them.
    asleep = idle_ - spinning_;
    woken = awaiting_ > 0 ? asleep : std::min(job.wanted_ - spinning_, asleep);
  }
  Wake(woken, asleep);
}

void ThreadPool::Dismiss(Job& job) {
  if (!HasWorkers()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), &job), jobs_.end());
    job.wanted_ = 0;
  }
  const auto no_helpers = [&] { return job.helpers_.load(std::memory_order_acquire) == 0; };
  SpinUntil(no_helpers);
  // With the lock, so that the last thread to leave has finished using the job.
  std::unique_lock<std::mutex> lock(mutex_);
  job.left_.wait(lock, no_helpers);
  job.finished_ = false;
}

void ThreadPool::Finish(Job& job) {
  if (!HasWorkers()) return;
  int asleep = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    job.finished_ = true;
    asleep = idle_ - spinning_;
  }
  Wake(asleep, asleep);
}

void ThreadPool::AwaitFinish(Job& job) {
  if (!HasWorkers()) return;
  std::unique_lock<std::mutex> lock(mutex_);
  ++awaiting_;
  while (Idle(lock, &job)) {
  }
  --awaiting_;
}

// Idle threads take tasks before other work, so as many tasks as idle threads can run at once.
bool ThreadPool::TrySchedule(void (*fn)(void*), void* context) {
  if (!HasWorkers()) return false;
  int asleep = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (static_cast<size_t>(idle_) <= tasks_.size()) return false;
    tasks_.push_back({fn, context, RunningCode()});
    asleep = idle_ - spinning_;
  }
  Wake(std::min(asleep, 1), asleep);
  return true;
}

ThreadPool::Job* ThreadPool::NextJob(const Job* awaited) const {
  for (Job* job : jobs_) {
    if (job->wanted_ > 0 && (awaited == nullptr || job == awaited || job->IsBrief())) return job;
  }
  return nullptr;
}

void ThreadPool::Join(Job& job, std::unique_lock<std::mutex>& lock) {
  --job.wanted_;
  ++job.helpers_;
  const int processor = job.invited_on_;
  lock.unlock();
  if (processor >= 0 && processor == sched_getcpu()) LeaveProcessor(processor, threads());
  job.Help();
  lock.lock();
  if (--job.helpers_ == 0) job.left_.notify_all();
}

void ThreadPool::RunTask(std::unique_lock<std::mutex>& lock) {
  const Task task = tasks_.front();
  tasks_.pop_front();
  lock.unlock();
  {
    const RunningMark mark(task.code);
    const FloatingPointMode floats;
    task.fn(task.context);
    floats.Restore();
  }
  lock.lock();
}

bool ThreadPool::HasWork(const Job* awaited) const {
  return !tasks_.empty() || NextJob(awaited) != nullptr || IsOver(awaited);
}

void ThreadPool::Spin(std::unique_lock<std::mutex>& lock) {
  const uint32_t known = news_.load(std::memory_order_acquire);
  ++spinning_;
  lock.unlock();
  SpinUntil([&] { return news_.load(std::memory_order_acquire) != known; });
  lock.lock();
  --spinning_;
}

// Sleeps until there is news, which may be for others. Does not use a condition variable: those of glibc 2.26 to 2.40
// lose wake-ups (bug 25847). News that arrives after `known` was read changes the count, so wait returns.
void ThreadPool::Sleep(std::unique_lock<std::mutex>& lock) {
  const uint32_t known = news_.load(std::memory_order_acquire);
  lock.unlock();
  news_.wait(known, std::memory_order_acquire);
  lock.lock();
}

// Waits for work and does it; returns false if there will be none.
bool ThreadPool::Idle(std::unique_lock<std::mutex>& lock, const Job* awaited) {
  ++idle_;
  if (!HasWork(awaited)) Spin(lock);
  while (!HasWork(awaited)) Sleep(lock);
  --idle_;
  // Tasks first: each was promised to an idle thread.
  if (!tasks_.empty()) {
    RunTask(lock);
    return true;
  }
  if (IsOver(awaited)) return false;
  if (Job* job = NextJob(awaited)) Join(*job, lock);
  return true;
}

void ThreadPool::Work(int number) {
  seat = {this, number};
  std::unique_lock<std::mutex> lock(mutex_);
  while (Idle(lock, nullptr)) {
  }
}

// Loops in kernels.

namespace {

// A block must take longer than it takes a thread to get it.
constexpr int64_t kBlockNs = 2'000;
constexpr int64_t kBlocksPerThread = 4;
// What a thread must be able to do in a loop: one that is awake, and one that has to wake up first.
constexpr double kWorthJoining = 4'000, kWorthWaking = 10'000;

thread_local bool inside_a_block = false;
thread_local bool loops_stay = false;

// Threads begin at different places, and always at the same: what a thread has written in one loop is then in the cache
// of its processor in the next one.
class Loop : public ThreadPool::Job {
 public:
  Loop(const ThreadPool& pool, int64_t n, int64_t blocks, RangeFn fn, void* context)
      : pool_(pool),
        n_(n),
        blocks_(blocks),
        parts_(std::min({blocks, int64_t{pool.threads()}, int64_t{kMostParts}})),
        fn_(fn),
        context_(context) {}

  void Help() override {
    const RunningMark mark(running_);
    const FloatingPointMode floats;
    const bool was_inside = std::exchange(inside_a_block, true);
    const int64_t own = pool_.CurrentThread() + 1;
    for (int64_t i = 0; i < parts_; ++i) RunPart((own + i) % parts_);
    inside_a_block = was_inside;
    floats.Restore();  // the thread goes on to work for others
  }
  bool IsBrief() const override { return true; }
  int32_t code() const { return code_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kMostParts = 16;

  int64_t FirstOf(int64_t part) const { return part * blocks_ / parts_; }
  void RunPart(int64_t part) {
    const auto claim = [&] {
      return FirstOf(part) + claimed_[static_cast<size_t>(part)].fetch_add(1, std::memory_order_relaxed);
    };
    for (int64_t block = claim(); block < FirstOf(part + 1) && code() == 0; block = claim()) Run(block);
  }
  // The first n % blocks blocks have one more index.
  int64_t Begin(int64_t block) const { return block * (n_ / blocks_) + std::min(block, n_ % blocks_); }
  void Run(int64_t block) {
    const int32_t code = fn_(context_, Begin(block), Begin(block + 1));
    int32_t none = 0;
    if (code != 0) code_.compare_exchange_strong(none, code, std::memory_order_relaxed);
  }

  const ThreadPool& pool_;
  const int64_t n_, blocks_, parts_;
  const RangeFn fn_;
  void* const context_;
  const PluginCode* const running_ = RunningCode();         // the code that started the loop
  std::array<std::atomic<int64_t>, kMostParts> claimed_{};  // by part: how many of its blocks
  std::atomic<int32_t> code_{0};
};

int64_t BlockCount(int64_t n, int64_t unit_cost_ns, int threads) {
  const int64_t cost = std::clamp<int64_t>(unit_cost_ns, 1, kBlockNs);
  const int64_t worth = n / ((kBlockNs + cost - 1) / cost);
  return std::clamp<int64_t>(worth, 1, std::min<int64_t>(n, kBlocksPerThread * threads));
}

// How many threads are worth inviting to a loop, besides the caller.
int HelpersFor(const ThreadPool& pool, int64_t blocks, double cost_ns) {
  const double most = static_cast<double>(std::min<int64_t>(blocks, pool.threads()) - 1);
  const double awake = std::min(std::floor(cost_ns / kWorthJoining), static_cast<double>(pool.watching()));
  return static_cast<int>(std::min(most, std::max(awake, std::floor(cost_ns / kWorthWaking) - 1)));
}

}  // namespace

LoopsOnOneThread::LoopsOnOneThread() : before_(std::exchange(loops_stay, true)) {}
LoopsOnOneThread::~LoopsOnOneThread() {
  loops_stay = before_;
}

// The blocks are the same on one thread, since a kernel's result may depend on them.
int32_t ParallelFor(ThreadPool& pool, int64_t n, int64_t unit_cost_ns, RangeFn fn, void* context) {
  if (n <= 0) return 0;
  const int64_t blocks = inside_a_block ? 1 : BlockCount(n, unit_cost_ns, pool.threads());
  if (blocks == 1 || pool.threads() == 1) return fn(context, 0, n);
  Loop loop(pool, n, blocks, fn, context);
  const double cost = static_cast<double>(n) * static_cast<double>(std::max<int64_t>(unit_cost_ns, 1));
  const int helpers = loops_stay ? 0 : HelpersFor(pool, blocks, cost);
  if (helpers > 0) pool.Invite(loop, helpers);
  loop.Help();
  if (helpers > 0) pool.Dismiss(loop);
  return loop.code();
}

}  // namespace opsrun::host
