// host/isolate/channel.h: one request at a time from a process to its child, and the reply, in memory that both share.
//
// Whoever waits looks at a word of that memory for some microseconds, then sleeps on it (futex). No descriptor is
// needed: a plugin that closes all of them does not end the conversation.
//
// A child that sleeps is woken on the processor of the parent, which sleeps at once: two changes of the process take a
// fifth of the time in which another processor of a virtual machine ends its own sleep. If requests follow each other
// closely, the child moves to another processor, and both look instead of sleeping.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/device/shared_memory.h"

namespace opsrun::host {

// The beginning of the shared memory. The child may write anything here at any time.
struct ChannelHead {
  std::atomic<uint32_t> turn{0};                            // odd: the child's; bit 31: it has ended
  std::atomic<uint32_t> parent_sleeps{0}, child_sleeps{0};  // 1: until the turn changes
  std::atomic<uint32_t> alarm{0};                           // not 0: the child says what it is doing and ends itself
  uint32_t alarm_ms = 0;                                    // after how long
  std::atomic<uint32_t> lines{0};                           // of the plugin's log, in the report file
  std::atomic<uint32_t> child_looks{1};                     // whether the child looks for a request before it sleeps
  std::atomic<uint32_t> child_placed{0};                    // 1: the parent has chosen where the child wakes
  std::atomic<int32_t> child_processor{-1};                 // that the child ran on when it took its last turn
  uint64_t kind = 0;                                        // of the request
  uint64_t request_bytes = 0;
  std::atomic<uint64_t> reply_bytes{0};  // to be read once: the child may change it
};
inline constexpr size_t kChannelHeadBytes = 4096;
static_assert(sizeof(ChannelHead) <= kChannelHeadBytes && std::atomic<uint32_t>::is_always_lock_free);
inline constexpr uint32_t kChildEnded = uint32_t{1} << 31;

// Descriptors of the child.
inline constexpr int kChannelDescriptor = 3;  // the shared memory of this child
inline constexpr int kTensorsDescriptor = 4;  // that of the parent's tensors
inline constexpr int kReportDescriptor = 5;   // a file for the report of a crash
inline constexpr int kStackDescriptor = 6;    // in a sandbox: a file for the stack of a crash; otherwise /dev/null

// Both sides. After the head, one half of the memory is for requests, the other one for replies.
class Channel {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Channel(std::shared_ptr<SharedRegion> memory);

  ChannelHead& head() const { return *reinterpret_cast<ChannelHead*>(memory_->data()); }
  const SharedRegion& memory() const { return *memory_; }
  // Where requests and replies begin, and how long they may be.
  char* request() const { return memory_->data() + kChannelHeadBytes; }
  char* reply() const { return memory_->data() + memory_->size() / 2; }
  size_t most_bytes() const { return memory_->size() / 2 - kChannelHeadBytes; }

  // The parent: the process of the child, whose main thread serves; 0: none any more. [any thread]
  void SetChild(int process) { child_.store(process); }
  // Gives the turn to the other side. [the side that has it]
  void Pass(bool parent);
  // Waits until it is this side's turn, or the child has ended. False if that takes until `deadline`.
  bool WaitForTurn(bool parent, std::optional<Clock::time_point> deadline);
  // The child has ended: wakes the parent. [the parent, any thread]
  void NoteEnd() const;

  // Waits until the alarm is rung, on a thread of the child. Rings it. [the parent]
  uint32_t WaitForAlarm() const;
  void RingAlarm(uint32_t after_ms) const;

 private:
  void PlaceChild();
  bool Looks(bool parent) const;
  void Begin(bool parent);

  const std::shared_ptr<SharedRegion> memory_;
  cpu_set_t allowed_;  // the processors of the thread that made this object
  bool may_spin_;
  std::atomic<int> child_{0};
  bool parent_looks_ = true;  // for the reply to this request
  int soon_ = 0;              // requests in turn that came soon after a reply
  Clock::time_point replied_;
};

}  // namespace opsrun::host
