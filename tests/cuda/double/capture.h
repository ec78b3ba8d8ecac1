// tests/cuda/double/capture.h: the work that is enqueued while a stream is captured, and the graph that executes it
// later.
//
// A capture records calls, not their effects. Launching the graph makes them again, on the stream of the launch and on
// the graph's own streams and events, so missing waits are found in graphs too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cuda/double/clocks.h"

struct CUstream_st;
struct CUevent_st;

namespace cuda_double {

// The streams and events that a graph uses in place of the captured ones.
struct StandIns {
  std::map<const CUstream_st*, CUstream_st*> streams;
  std::map<const CUevent_st*, std::unique_ptr<CUevent_st>> events;
};

class Capture {
 public:
  explicit Capture(const CUstream_st* origin) : origin_(origin) { Join(origin, {}); }

  using Call = std::function<void(StandIns&)>;
  void Add(const CUstream_st* stream, Call call);
  void Record(const CUevent_st* event, const CUstream_st* stream, Call call);
  // The stream may not be part of the capture yet.
  void Follow(const CUstream_st* stream, const CUevent_st* event, Call call);

  // Whether all forked streams have joined the stream that began the capture.
  bool IsJoined() const;
  const CUstream_st* origin() const { return origin_; }
  bool IsOfThisThread() const { return thread_ == std::this_thread::get_id(); }
  const std::vector<Call>& calls() const { return calls_; }

  bool is_valid = true;
  bool is_over = false;  // its graph was made, or it failed

 private:
  struct Branch {
    size_t number = 0;
    Clock clock;
  };
  void Join(const CUstream_st* stream, const Clock& known);

  const CUstream_st* const origin_;
  const std::thread::id thread_ = std::this_thread::get_id();
  std::vector<Call> calls_;
  std::map<const CUstream_st*, Branch> branches_;
  std::map<const CUevent_st*, Clock> events_;
};

inline void Capture::Join(const CUstream_st* stream, const Clock& known) {
  const auto [branch, is_new] = branches_.emplace(stream, Branch{branches_.size(), {}});
  branch->second.clock.Join(known);
}

inline void Capture::Add(const CUstream_st* stream, Call call) {
  Branch& branch = branches_.at(stream);
  branch.clock.Tick(branch.number);
  calls_.push_back(std::move(call));
}

inline void Capture::Record(const CUevent_st* event, const CUstream_st* stream, Call call) {
  events_[event] = branches_.at(stream).clock;
  calls_.push_back(std::move(call));
}

inline void Capture::Follow(const CUstream_st* stream, const CUevent_st* event, Call call) {
  Join(stream, events_.at(event));
  calls_.push_back(std::move(call));
}

inline bool Capture::IsJoined() const {
  const Clock& end = branches_.at(origin_).clock;
  return std::all_of(branches_.begin(), branches_.end(), [&](const auto& each) {
    const Branch& branch = each.second;
    return end.of(branch.number) >= branch.clock.of(branch.number);
  });
}

}  // namespace cuda_double
