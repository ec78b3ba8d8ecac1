// host/run/run_steps.cc: one run of a lane: the loop over its steps, and how it ends.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "host/run/host_table.h"
#include "host/run/lane_impl.h"
#include "host/run/task_run.h"

namespace opsrun::host {
namespace {

int64_t Now() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
static_assert(std::chrono::steady_clock::period::den == 1'000'000'000);

// Prefetch distance, in steps: a large graph does not fit into the cache, and the hardware prefetcher does not predict
// how a step's cell is read.
constexpr ptrdiff_t kAhead = 6;
inline void Prefetch(const LaneStep& step) {
  const char* cell = reinterpret_cast<const char*>(step.call);
  __builtin_prefetch(cell, /*rw=*/1);
  __builtin_prefetch(cell + 128);
  __builtin_prefetch(cell + 192);
  __builtin_prefetch(step.object);
}

// The recorded refusal may come from another kernel: the host knows only that it was the last one and has the same
// code.
std::string ReasonFromHost(const opsrun_host* host, int32_t code) {
  const Status refusal = TakeRefusal(host);
  return refusal.code() == code ? fmt::format("; the host last refused {}", refusal.message()) : "";
}

std::vector<std::string> InputTexts(const opsrun_call& call) {
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < call.n_in; ++i) {
    const opsrun_tensor& in = *call.in[i];
    texts.push_back(fmt::format("{} {}", DTypeName(DTypeOf(in)), ViewShapeText(in.rank, in.shape)));
  }
  return texts;
}

}  // namespace

std::optional<RunFailure> Lane::Impl::Run(RunTimes* times) {
  for (DynamicView* view : results) EndResult(view);
  failure_.reset();
  reasons_.clear();
  failed_.store(false, std::memory_order_relaxed);
  run_id_.store(NextRunId(host), std::memory_order_relaxed);
  times_ = times;
  for (size_t i = 1; i < devices.size(); ++i) devices[i]->Begin();
  if (times != nullptr) {
    times->steps.assign(steps.size(), {});
    times->parts.clear();
    times->parts_left_out = 0;
  }
  if (tasks_ != nullptr) {
    tasks_->Run();
  } else {
    RunSteps(0, static_cast<uint32_t>(steps.size()));
  }
  DrainDevices();
  if (failure_) ResetAll(dynamic_views);
  return failure_;
}

bool Lane::Impl::RunSteps(uint32_t first, uint32_t count) {
  if (count == 0) return true;
  Place& place = places_[static_cast<size_t>(ThreadNumber())];
  place.first.store(first, std::memory_order_relaxed);
  place.count.store(count, std::memory_order_relaxed);
  const RunningMark mark(&place);
  const FloatingPointMode floats;
  const bool goes_on = times_ != nullptr   ? RunGuarded<true, true>(first, count, place, floats)
                       : tasks_ != nullptr ? RunGuarded<true, false>(first, count, place, floats)
                                           : RunGuarded<false, false>(first, count, place, floats);
  RestoreFloatingPoint(floats, first, count);
  place.first.store(first + count - 1, std::memory_order_relaxed);
  place.count.store(0, std::memory_order_relaxed);
  return goes_on;
}

// An exception ends the run as a failure of the step that threw it.
template <bool kShared, bool kTimed>
bool Lane::Impl::RunGuarded(uint32_t first, uint32_t count, Place& place, const FloatingPointMode& floats) {
  bool goes_on = false;
  const std::optional<Thrown> thrown = CatchThrown([&] { goes_on = RunRange<kShared, kTimed>(first, count, floats); });
  if (!thrown) [[likely]]
    return goes_on;
  const LaneStep& step = steps[LastBegun(place.first.load(std::memory_order_relaxed), count)];
  const int32_t code = thrown->out_of_memory ? OPSRUN_RESOURCE_EXHAUSTED : OPSRUN_INTERNAL;
  return EndFailed(step, Status(code, "the kernel " + thrown->Sentence()));
}

// Restores it before a kernel of another plugin runs. Warns once per lane, as the kernel will do it in every run.
void Lane::Impl::RestoreFloatingPoint(const FloatingPointMode& floats, uint32_t first, uint32_t count) {
  const std::string changed = floats.Restore();
  if (changed.empty() || floats_noted_.exchange(true)) return;
  const Step& step = plan.steps[first];
  const std::string from = plan.NodeOf(step).name.value, to = plan.NodeOf(plan.steps[first + count - 1]).name.value;
  const std::string who = count > 1 ? fmt::format("one of the nodes '{}' to '{}'", from, to)
                          : step.copy != Step::Copy::kNone
                              ? fmt::format("the copy '{}'", from)
                              : fmt::format("node '{}' of plugin '{}'", from, step.kernel->plugin->name);
  Warn(host, fmt::format("{} changed {}; opsrun set it back", who, changed));
}

PluginCodeFacts Lane::Impl::Place::Facts() const {
  const uint32_t from = first.load(std::memory_order_relaxed), steps = count.load(std::memory_order_relaxed);
  if (steps == 0) return {};
  return lane->plan.Facts(lane->plan.steps[lane->LastBegun(from, steps)], PluginPhase::kCompute);
}

// The cost per node is this loop. Writing the run's number into the call marks the step as begun.
template <bool kShared, bool kTimed>
bool Lane::Impl::RunRange(uint32_t first, uint32_t count, const FloatingPointMode& floats) {
  const uint64_t run_id = run_id_.load(std::memory_order_relaxed);
  const LaneStep* const end = steps.data() + first + count;
  const LaneStep* const last = &steps.back();
  for (const LaneStep* step = end - count; step != end; ++step) {
    if (kShared ? MustStop() : signal->stopped()) [[unlikely]]
      return NoteStop();
    Prefetch(step[std::min(kAhead, last - step)]);
    __atomic_store_n(&step->call->run_id, run_id, __ATOMIC_RELAXED);
    const int64_t begin = kTimed ? Now() : 0;
    const int32_t code = step->compute(step->object, step->call);
    if (kTimed) times_->steps[static_cast<size_t>(step - steps.data())] = {begin, Now(), ThreadNumber()};
    if ((static_cast<uint32_t>(code) | floats.Change()) != 0) [[unlikely]] {  // one branch, as both are rare
      RestoreFloatingPoint(floats, static_cast<uint32_t>(step - steps.data()), 1);
      if (code != OPSRUN_OK) return EndFailed(*step, WhyFailed(*step, code));
    }
    if (step->dynamic == nullptr) [[likely]]
      continue;
    if (!AfterDynamicStep(*step)) [[unlikely]]
      return FailForMissingOutput(*step);
  }
  return true;
}

// False if the kernel did not make an output. Otherwise releases values that have no readers left.
bool Lane::Impl::AfterDynamicStep(const LaneStep& step) {
  for (const DynamicView* made : step.dynamic->made) {
    if (!made->allocated()) [[unlikely]]
      return false;
  }
  for (DynamicView* released : step.dynamic->released) {
    if (!released->EndRead()) continue;
    released->pool->Put(released->buffer);
    released->Reset();
  }
  return true;
}

bool Lane::Impl::FailForMissingOutput(const LaneStep& step) {
  uint32_t i = 0;
  while (i + 1 < step.call->n_out && step.call->out[i]->rank >= 0) ++i;
  const std::string name = OutputName(step.call, i);
  std::string text = fmt::format("the kernel returned OK without allocating its output '{}'", name);
  if (const Status reason = ReasonOf(step); !reason.ok()) text += fmt::format("; before that: {}", reason.message());
  return EndFailed(step, Status(OPSRUN_INTERNAL, std::move(text), "output:" + name));
}

// Only the first failure is reported; steps that fail because they were asked to stop are ignored.
bool Lane::Impl::EndFailed(const LaneStep& step, Status why) {
  const auto s = static_cast<uint32_t>(&step - steps.data());
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!failure_) {
    failure_ = RunFailure{s, std::move(why), 0, InputTexts(*step.call)};
  } else if (why.code() != OPSRUN_CANCELLED) {
    ++failure_->others;
  }
  failed_.store(true, std::memory_order_relaxed);
  return false;
}

// The code is the one that the kernel returned, the text the one it recorded.
Status Lane::Impl::WhyFailed(const LaneStep& step, int32_t code) {
  const Status reason = ReasonOf(step);
  if (!reason.ok()) return {KnownCode(code), reason.message(), reason.subject()};
  return {KnownCode(code), fmt::format("the kernel failed with {} and no reason{}", CodeName(code),
                                       ReasonFromHost(step.call->host, code))};
}

Status Lane::Impl::ReasonOf(const LaneStep& step) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto reason = reasons_.find(static_cast<uint32_t>(&step - steps.data()));
  return reason == reasons_.end() ? OkStatus() : reason->second;
}

// The run must end because a step on another thread failed or because a stop was requested. Names the step that a
// device is busy with, or the one that this thread ran last.
bool Lane::Impl::NoteStop() {
  const Place& place = places_[static_cast<size_t>(ThreadNumber())];
  const std::vector<uint32_t> unfinished = UnfinishedOnDevices();
  const uint32_t step = !unfinished.empty() ? unfinished[0]
                                            : LastBegun(place.first.load(std::memory_order_relaxed),
                                                        place.count.load(std::memory_order_relaxed));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!failure_) failure_ = RunFailure{step, Status(OPSRUN_CANCELLED, "the run was stopped")};
  failed_.store(true, std::memory_order_relaxed);
  return false;
}

// The last step of [first, first + count) that this run has begun, or the first one. Steps begin in order.
uint32_t Lane::Impl::LastBegun(uint32_t first, uint32_t count) const {
  const uint64_t run_id = run_id_.load(std::memory_order_relaxed);
  const auto begun = [run_id](const LaneStep& step) {
    return __atomic_load_n(&step.call->run_id, __ATOMIC_RELAXED) == run_id;
  };
  const auto from = steps.begin() + first, to = from + count;
  const auto next = std::partition_point(from, to, begun);
  return static_cast<uint32_t>((next == from ? from : next - 1) - steps.begin());
}

// If a device is busy, its unfinished step is listed in place of threads that enqueue work or wait for a device.
std::vector<RunningStep> Lane::Impl::Running() const {
  std::vector<RunningStep> running;
  for (const uint32_t step : UnfinishedOnDevices()) running.push_back({step, true});
  const bool device_is_busy = !running.empty();
  for (int thread = 0; thread < Threads(); ++thread) {
    const Place& place = places_[static_cast<size_t>(thread)];
    const uint32_t first = place.first.load(std::memory_order_relaxed);
    const uint32_t count = place.count.load(std::memory_order_relaxed);
    if (count == 0 || first + count > steps.size()) continue;
    const uint32_t step = LastBegun(first, count);
    const bool is_for_device = !device_steps.empty() && device_steps[step]->is_for_device();
    if (!is_for_device || !device_is_busy) running.push_back({step, is_for_device});
  }
  return running;
}

int64_t Lane::Impl::TraceNow() const {
  return times_ != nullptr && times_->wants_parts ? Now() : 0;
}

void Lane::Impl::AddPart(const opsrun_call* call, std::string name, int64_t begin) {
  const int64_t end = TraceNow();
  if (end == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (times_->parts.size() < RunTimes::kMostParts) {
    times_->parts.push_back({std::move(name), begin, end, ThreadNumber(), StepOf(call)});
  } else {
    ++times_->parts_left_out;
  }
}

// A buffer that has another owner by now leaves the pool.
void Lane::Impl::EndResult(DynamicView* view) {
  if (view->allocated() && !view->buffer->sole()) view->pool->Disown(view->buffer);
  Unallocate(view);
}

void Lane::Impl::ResetAll(const std::vector<DynamicView*>& which) {
  for (DynamicView* view : which) Unallocate(view);
}

uint32_t Lane::Impl::StepOf(const opsrun_call* call) const {
  const auto step = std::lower_bound(steps.begin(), steps.end(), call,
                                     [](const LaneStep& s, const opsrun_call* c) { return s.call < c; });
  return static_cast<uint32_t>(step - steps.begin());
}

}  // namespace opsrun::host
