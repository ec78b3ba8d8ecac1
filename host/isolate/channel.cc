// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/channel.h"

#include "host/base/futex.h"

namespace opsrun::host {
namespace {

// The other side needs longer than that only if its work does, or if it sleeps.
constexpr std::chrono::microseconds kChildSpin{20}, kParentSpin{100};
// After so many requests that came soon, the child moves: its first turn elsewhere takes as long as five of them.
constexpr int kWorthMoving = 4;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

}  // namespace

Channel::Channel(std::shared_ptr<SharedRegion> memory) : memory_(std::move(memory)) {
  CPU_ZERO(&allowed_);
  may_spin_ = sched_getaffinity(0, sizeof allowed_, &allowed_) == 0 && CPU_COUNT(&allowed_) > 1;
}

// Before the child, which sleeps, is woken.
void Channel::PlaceChild() {
  ChannelHead& at = head();
  const bool soon = !parent_looks_ && Clock::now() < replied_ + kChildSpin;
  soon_ = soon ? soon_ + 1 : 0;
  parent_looks_ = may_spin_ && soon_ >= kWorthMoving;
  at.child_looks.store(parent_looks_ ? 1 : 0, std::memory_order_relaxed);
  const int here = sched_getcpu(), child = child_.load();
  const bool is_here = at.child_processor.load(std::memory_order_relaxed) == here;
  if (here < 0 || child <= 0 || is_here != parent_looks_) return;
  cpu_set_t set = allowed_;
  if (parent_looks_) {
    CPU_CLR(static_cast<size_t>(here), &set);
  } else {
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(here), &set);
  }
  at.child_placed.store(1, std::memory_order_relaxed);
  sched_setaffinity(child, sizeof set, &set);
}

void Channel::Pass(bool parent) {
  ChannelHead& at = head();
  std::atomic<uint32_t>& sleeps = parent ? at.child_sleeps : at.parent_sleeps;
  if (parent && sleeps.load() != 0) PlaceChild();
  // The parent may take this processor as soon as it is woken.
  if (!parent && at.child_looks.load(std::memory_order_relaxed) == 0) at.child_sleeps.store(1);
  at.turn.fetch_add(1);
  if (sleeps.load() != 0) WakeOne(at.turn);
}

bool Channel::Looks(bool parent) const {
  return may_spin_ && (parent ? parent_looks_ : head().child_looks.load(std::memory_order_relaxed) != 0);
}

// The turn of this side.
void Channel::Begin(bool parent) {
  if (parent) {
    if (!parent_looks_) replied_ = Clock::now();
    return;
  }
  ChannelHead& at = head();
  at.child_sleeps.store(0, std::memory_order_relaxed);  // seen with the next turn
  // Not longer than it took to wake: threads that the plugin starts would be on that processor, too.
  if (at.child_placed.load(std::memory_order_relaxed) != 0) {
    at.child_placed.store(0, std::memory_order_relaxed);
    sched_setaffinity(0, sizeof allowed_, &allowed_);
  }
  at.child_processor.store(sched_getcpu(), std::memory_order_relaxed);
}

bool Channel::WaitForTurn(bool parent, std::optional<Clock::time_point> deadline) {
  ChannelHead& at = head();
  const auto is_over = [&](uint32_t turn) { return (turn & kChildEnded) != 0 || ((turn & 1) == 0) == parent; };
  bool over = is_over(at.turn.load(std::memory_order_acquire));
  if (!over && Looks(parent)) {
    const Clock::time_point until = Clock::now() + (parent ? kParentSpin : kChildSpin);
    do {
      for (int i = 0; i < 64 && !over; ++i) {
        Pause();
        over = is_over(at.turn.load(std::memory_order_acquire));
      }
    } while (!over && Clock::now() < until);
  }
  if (!over) {
    std::atomic<uint32_t>& sleeps = parent ? at.parent_sleeps : at.child_sleeps;
    do {
      sleeps.store(1);
      const uint32_t turn = at.turn.load();
      over = is_over(turn);
      if (!over) SleepOn(at.turn, turn, deadline);
    } while (!over && (!deadline || Clock::now() < *deadline));
    sleeps.store(0);
    over = over || is_over(at.turn.load());
  }
  if (over) Begin(parent);
  return over;
}

void Channel::NoteEnd() const {
  head().turn.fetch_or(kChildEnded);
  WakeOne(head().turn);
}

uint32_t Channel::WaitForAlarm() const {
  while (head().alarm.load() == 0) SleepOn(head().alarm, 0);
  return head().alarm_ms;
}

void Channel::RingAlarm(uint32_t after_ms) const {
  head().alarm_ms = after_ms;
  head().alarm.store(1);
  WakeOne(head().alarm);
}

}  // namespace opsrun::host
