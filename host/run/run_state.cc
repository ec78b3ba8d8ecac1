// SPDX-License-Identifier: Apache-2.0
#include "host/run/run_state.h"

#include <chrono>
#include <utility>

namespace opsrun::host {
namespace {

const StopSignal never_stopped;

}  // namespace

int64_t NowOfRun() {
  static_assert(std::chrono::steady_clock::period::den == 1'000'000'000);
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

void RunState::SetStop(const StopSignal* stop) {
  signal_ = stop == nullptr ? &never_stopped : stop;
}

void RunState::Begin(uint64_t id, RunTimes* times) {
  failure_.reset();
  reasons_.clear();
  failed_.store(false, std::memory_order_relaxed);
  id_.store(id, std::memory_order_relaxed);
  times_ = times;
}

int32_t RunState::NoteReason(uint32_t step, int32_t code, std::string text, std::string subject) {
  if (code == OPSRUN_OK) code = OPSRUN_UNKNOWN;
  const std::lock_guard<std::mutex> lock(mutex_);
  reasons_.emplace(step, Status(code, std::move(text), std::move(subject)));
  return code;
}

void RunState::ForgetReason(uint32_t step) {
  const std::lock_guard<std::mutex> lock(mutex_);
  reasons_.erase(step);
}

Status RunState::ReasonOf(uint32_t step) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto reason = reasons_.find(step);
  return reason == reasons_.end() ? OkStatus() : reason->second;
}

void RunState::End(RunFailure failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!failure_) {
    failure_ = std::move(failure);
  } else if (failure.status.code() != OPSRUN_CANCELLED) {
    ++failure_->others;
  }
  failed_.store(true, std::memory_order_relaxed);
}

int64_t RunState::TraceNow() const {
  return times_ != nullptr && times_->wants_parts ? NowOfRun() : 0;
}

void RunState::AddPart(uint32_t step, int32_t thread, std::string name, int64_t begin) {
  const int64_t end = TraceNow();
  if (end == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (times_->parts.size() < RunTimes::kMostParts) {
    times_->parts.push_back({std::move(name), begin, end, thread, step});
  } else {
    ++times_->parts_left_out;
  }
}

}  // namespace opsrun::host
