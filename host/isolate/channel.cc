// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/channel.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

namespace opsrun::host {
namespace {

// The other side needs longer than that only if its work does, or if it sleeps.
constexpr std::chrono::microseconds kChildSpin{20}, kParentSpin{100};

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

void Sleep(std::atomic<uint32_t>& word, uint32_t value, const timespec* until) {
  // An absolute time of the monotonic clock, as that of steady_clock is.
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, value, until, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void Wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

// While this thread sleeps, it may not be on the processor of who wakes it: the system would often wake it there, where
// the waker looks whether there is a reply.
class AwayFrom {
 public:
  explicit AwayFrom(int processor) {
    if (processor < 0 || sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) return;
    cpu_set_t others = allowed_;
    CPU_CLR(static_cast<size_t>(processor), &others);
    moved_ = CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0;
  }
  AwayFrom(const AwayFrom&) = delete;
  ~AwayFrom() {
    if (moved_) sched_setaffinity(0, sizeof allowed_, &allowed_);
  }

 private:
  cpu_set_t allowed_;
  bool moved_ = false;
};

timespec TimeOf(Channel::Clock::time_point time) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

Channel::Channel(std::shared_ptr<SharedRegion> memory)
    : memory_(std::move(memory)), may_spin_(std::thread::hardware_concurrency() > 1) {}

void Channel::Pass(bool parent) const {
  ChannelHead& at = head();
  if (parent) at.processor.store(sched_getcpu(), std::memory_order_relaxed);
  at.turn.fetch_add(1);
  std::atomic<uint32_t>& sleeps = parent ? at.child_sleeps : at.parent_sleeps;
  if (sleeps.load() != 0) Wake(at.turn);
}

bool Channel::WaitForTurn(bool parent, std::optional<Clock::time_point> deadline) const {
  ChannelHead& at = head();
  const auto is_over = [&](uint32_t turn) { return (turn & kChildEnded) != 0 || ((turn & 1) == 0) == parent; };
  const Clock::time_point spin_until = Clock::now() + (parent ? kParentSpin : kChildSpin);
  while (may_spin_) {
    for (int i = 0; i < 64; ++i) {
      if (is_over(at.turn.load(std::memory_order_acquire))) return true;
      Pause();
    }
    if (Clock::now() >= spin_until) break;
  }
  const timespec until = deadline ? TimeOf(*deadline) : timespec{};
  std::atomic<uint32_t>& sleeps = parent ? at.parent_sleeps : at.child_sleeps;
  const AwayFrom away(parent || !may_spin_ ? -1 : at.processor.load(std::memory_order_relaxed));
  bool over = false;
  do {
    sleeps.store(1);
    const uint32_t turn = at.turn.load();
    over = is_over(turn);
    if (!over) Sleep(at.turn, turn, deadline ? &until : nullptr);
  } while (!over && (!deadline || Clock::now() < *deadline));
  sleeps.store(0);
  return over || is_over(at.turn.load());
}

void Channel::NoteEnd() const {
  head().turn.fetch_or(kChildEnded);
  Wake(head().turn);
}

uint32_t Channel::WaitForAlarm() const {
  while (head().alarm.load() == 0) Sleep(head().alarm, 0, nullptr);
  return head().alarm_ms;
}

void Channel::RingAlarm(uint32_t after_ms) const {
  head().alarm_ms = after_ms;
  head().alarm.store(1);
  Wake(head().alarm);
}

}  // namespace opsrun::host
