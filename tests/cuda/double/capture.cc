// tests/cuda/double/capture.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/double/capture.h"

#include <algorithm>
#include <utility>

namespace cuda_double {

void Capture::Join(const CUstream_st* stream, const Clock& known) {
  const auto [branch, is_new] = branches_.emplace(stream, Branch{branches_.size(), {}});
  branch->second.clock.Join(known);
}

void Capture::Add(const CUstream_st* stream, Call call) {
  Branch& branch = branches_.at(stream);
  branch.clock.Tick(branch.number);
  calls_.push_back(std::move(call));
}

void Capture::Record(const CUevent_st* event, const CUstream_st* stream, Call call) {
  events_[event] = branches_.at(stream).clock;
  calls_.push_back(std::move(call));
}

void Capture::Follow(const CUstream_st* stream, const CUevent_st* event, Call call) {
  Join(stream, events_.at(event));
  calls_.push_back(std::move(call));
}

bool Capture::IsJoined() const {
  const Clock& end = branches_.at(origin_).clock;
  return std::all_of(branches_.begin(), branches_.end(), [&](const auto& each) {
    const Branch& branch = each.second;
    return end.of(branch.number) >= branch.clock.of(branch.number);
  });
}

}  // namespace cuda_double
