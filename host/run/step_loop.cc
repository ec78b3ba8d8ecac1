// SPDX-License-Identifier: Apache-2.0
#include "host/run/step_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "host/run/host_table.h"

namespace opsrun::host {
namespace {

// Prefetch distance, in steps: a large graph does not fit into the cache, and the hardware prefetcher does not predict
// how a step's cell is read.
constexpr ptrdiff_t kAhead = 12;
inline void Prefetch(const LaneStep& step) {
  const char* cell = reinterpret_cast<const char*>(step.call);
  __builtin_prefetch(cell, /*rw=*/1);
  __builtin_prefetch(cell + 64, /*rw=*/1);
  __builtin_prefetch(cell + 128, /*rw=*/1);
  __builtin_prefetch(cell + 192, /*rw=*/1);
  __builtin_prefetch(step.object);
}

// The recorded refusal may come from another kernel: the host knows only that it was the last one and has the same
// code.
std::string ReasonFromHost(const opsrun_host* host, int32_t code) {
  const Status refusal = TakeRefusal(host);
  return refusal.code() == code ? fmt::format("; the last call that the host refused: {}", refusal.message()) : "";
}

}  // namespace

StepLoop::StepLoop(LaneMemory& memory, RunState& state, CallSlots& slots, const DeviceSteps& device_steps,
                   const RunOptions& options, const ReproNodes* repro_nodes)
    : plan_(memory.plan()),
      memory_(memory),
      state_(state),
      slots_(slots),
      device_steps_(device_steps),
      steps_(plan_.steps.size()),
      missing_(state.keep_going() ? steps_.size() : 0),
      running_(new StepsOfThread[static_cast<size_t>(Threads())]) {
  for (size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = plan_.steps[s];
    steps_[s] = {step.kernel()->compute, step.object, memory.calls()[s], nullptr};
    if (device_steps_.empty()) continue;
    steps_[s].compute = DeviceStep::Run;
    steps_[s].object = &device_steps_.at(s);
  }
  CollectDynamic();
  for (size_t s = 0, next = steps_.size(); s < steps_.size(); ++s) {
    const IsolatedPart* const part = plan_.steps[s].more->part;
    if (part == nullptr) continue;
    node_times_[static_cast<uint32_t>(s)] = next;
    next += part->members.size();
  }
  for (LaneStep& step : steps_) {
    if (!options.nan_check && !options.check_memory) break;
    checks_.push_back(std::make_unique<StepCheck>(slots, options.nan_check, step.compute, step.object));
    step.compute = StepCheck::Run;
    step.object = checks_.back().get();
  }
  if (repro_nodes != nullptr)
    repro_ = std::make_unique<LaneRepro>(slots, *repro_nodes, *options.repro, steps_, Threads());
  for (const Sweep& sweep : plan_.sweeps) {
    if (!checks_.empty()) break;
    sweeps_.push_back(std::make_unique<SweepRun>(sweep, memory, slots, *this, steps_.data()));
  }
  for (int thread = 0; thread < Threads(); ++thread) running_[static_cast<size_t>(thread)].loop = this;
  if (slots.pool() == nullptr) return;
  if (!plan_.tasks.empty()) tasks_ = std::make_unique<TaskRun>(*this, state, plan_.tasks, *slots.pool());
  choice_.emplace(tasks_ != nullptr ? Sharing::kTasks : Sharing::kLoops, Threads());
}

StepLoop::~StepLoop() = default;

void StepLoop::CollectDynamic() {
  const auto is_dynamic = [&](uint32_t value) { return plan_.values[value].memory == PlanValue::Memory::kDynamic; };
  std::vector<uint32_t> dynamic;
  for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
    const size_t first = dynamic_views_.size();
    for (const uint32_t value : plan_.steps[s].outputs) {
      if (is_dynamic(value)) dynamic_views_.push_back(memory_.dynamic_view(value));
    }
    const size_t made = dynamic_views_.size() - first;
    for (const uint32_t value : plan_.steps[s].released) {
      dynamic_views_.push_back(memory_.dynamic_view(value));
      ++dynamic_views_.back()->readers;
    }
    if (dynamic_views_.size() == first) continue;
    const size_t released = dynamic_views_.size() - first - made;
    dynamic_steps_.push_back({nullptr, static_cast<uint32_t>(made), static_cast<uint32_t>(released)});
    dynamic.push_back(s);
  }
  DynamicView* const* views = dynamic_views_.data();
  for (size_t i = 0; i < dynamic.size(); ++i) {
    dynamic_steps_[i].views = std::exchange(views, views + dynamic_steps_[i].made + dynamic_steps_[i].released);
    steps_[dynamic[i]].dynamic = &dynamic_steps_[i];
  }
}

std::optional<RunFailure> StepLoop::Run(RunTimes* times) {
  memory_.BeginRun();
  state_.Begin(NextRunId(memory_.host()), times);
  std::ranges::fill(missing_, 0);
  partly_made_.clear();
  if (times != nullptr) {
    times->steps.assign(TimedSteps(plan_), {});
    times->parts.clear();
    times->parts_left_out = 0;
    times->temporary_bytes = 0;
  }
  choice_ ? RunChosen() : RunInOrder();
  for (const std::unique_ptr<SweepRun>& sweep : sweeps_) {
    if (times != nullptr) sweep->DivideTime(*times);
  }
  return state_.failure() ? Finish() : std::nullopt;
}

// The order of the steps is one in which a single thread can run them.
void StepLoop::RunInOrder() {
  RunSteps(0, static_cast<uint32_t>(steps_.size()));
}

void StepLoop::RunChosen() {
  const Sharing way = choice_->way();
  memory_.PlaceInOrder(way != Sharing::kTasks);
  const int64_t begin = choice_->is_timed() ? NowOfRun() : 0;
  if (way == Sharing::kTasks) {
    tasks_->Run();
  } else if (way == Sharing::kLoops) {
    RunInOrder();
  } else {
    const LoopsOnOneThread on_this_thread;
    RunInOrder();
  }
  if (!state_.failure()) choice_->Note(begin != 0 ? NowOfRun() - begin : 0);
}

std::optional<RunFailure> StepLoop::Finish() {
  DrainDevices();
  if (state_.is_aborted()) memory_.DropDynamic();
  return state_.failure();
}

bool StepLoop::RunSteps(uint32_t first, uint32_t count) {
  if (count == 0) return true;
  StepsOfThread& steps = running_[static_cast<size_t>(ThreadNumber())];
  steps.first.store(first, std::memory_order_relaxed);
  steps.count.store(count, std::memory_order_relaxed);
  const RunningMark mark(&steps);
  const FloatingPointMode floats;
  const bool is_shared = count < steps_.size() || state_.keep_going();
  const bool goes_on = state_.times() != nullptr ? RunGuarded<true, true>(first, count, steps, floats)
                       : is_shared               ? RunGuarded<true, false>(first, count, steps, floats)
                                                 : RunGuarded<false, false>(first, count, steps, floats);
  RestoreFloatingPoint(floats, first, count);
  steps.first.store(first + count - 1, std::memory_order_relaxed);
  steps.count.store(0, std::memory_order_relaxed);
  return goes_on;
}

// An exception is a failure of the step that threw it.
template <bool kShared, bool kTimed>
bool StepLoop::RunGuarded(uint32_t first, uint32_t count, StepsOfThread& steps, const FloatingPointMode& floats) {
  for (uint32_t next = first;;) {
    bool goes_on = false;
    const std::optional<Thrown> thrown =
        CatchThrown([&] { goes_on = RunRange<kShared, kTimed>(next, first + count - next, floats); });
    if (!thrown) [[likely]]
      return goes_on;
    const LaneStep& step = steps_[LastBegun(steps.first.load(std::memory_order_relaxed), count)];
    slots_.scheduled().Wait(step.call);
    EndFailed(step, Status(thrown->code(), "the kernel " + thrown->Sentence()));
    if (!state_.keep_going()) return false;
    next = IndexOf(step) + 1;
    RestoreFloatingPoint(floats, next - 1, 1);
  }
}

void StepLoop::RestoreFloatingPoint(const FloatingPointMode& floats, uint32_t first, uint32_t count) {
  const std::string changed = floats.Restore();
  if (changed.empty() || floats_noted_.exchange(true)) return;
  const Step& step = plan_.steps[first];
  const std::string_view from = plan_.NodeName(step), to = plan_.NodeName(plan_.steps[first + count - 1]);
  const std::string who = count > 1 ? fmt::format("one of the nodes '{}' to '{}'", from, to)
                          : step.copy != Step::Copy::kNone
                              ? fmt::format("the copy '{}'", from)
                              : fmt::format("node '{}' of plugin '{}'", from, step.kernel()->plugin->name);
  Warn(memory_.host(), fmt::format("{} changed {}; opsrun set it back", who, changed));
}

PluginCodeFacts StepLoop::StepsOfThread::Facts() const {
  const uint32_t from = first.load(std::memory_order_relaxed), steps = count.load(std::memory_order_relaxed);
  if (steps == 0) return {};
  const uint32_t step = loop->LastBegun(from, steps);
  PluginCodeFacts facts = loop->plan_.Facts(loop->plan_.steps[step], PluginPhase::kCompute);
  facts.call = loop->steps_[step].call;
  if (loop->repro_) facts.kept = loop->repro_->OnThread(step, static_cast<int>(this - loop->running_.get()));
  return facts;
}

// The cost per node is this loop. Writing the run's number into the call marks the step as begun. kShared: other
// threads may end the run, or the run keeps going after a failure; false otherwise.
template <bool kShared, bool kTimed>
bool StepLoop::RunRange(uint32_t first, uint32_t count, const FloatingPointMode& floats) {
  const uint64_t run_id = state_.id();
  const RunState& state = state_;
  const StopSignal& signal = state.signal();
  const ScheduledTasks& scheduled = slots_.scheduled();
  const LaneStep* const end = steps_.data() + first + count;
  const LaneStep* const last = &steps_.back();
  for (const LaneStep* step = end - count; step != end; ++step) {
    if (kShared ? state.IsDisturbed() : signal.stopped()) [[unlikely]] {
      const Course course = kShared ? CourseOf(*step) : Course::kEnd;
      if (course == Course::kEnd) return NoteStop();
      if (course == Course::kSkip) continue;
    }
    Prefetch(step[std::min(kAhead, last - step)]);
    __atomic_store_n(&step->call->run_id, run_id, __ATOMIC_RELAXED);
    const int32_t code = kTimed ? ComputeTimed(*step) : step->compute(step->object, step->call);
    if ((static_cast<uint32_t>(code) | floats.Change() | scheduled.rest()) != 0)
        [[unlikely]] {  // one branch: all are rare
      RestoreFloatingPoint(floats, IndexOf(*step), 1);
      if (!EndsWell(*step, code)) {
        if (kShared && state.keep_going()) continue;
        return false;
      }
    }
    if (step->dynamic == nullptr) [[likely]]
      continue;
    if (!AfterDynamicStep(*step)) [[unlikely]] {
      FailForMissingOutput(*step);
      if (!kShared || !state.keep_going()) return false;
    }
  }
  return true;
}

int32_t StepLoop::ComputeTimed(const LaneStep& step) {
  const IsolatedPart* const part = plan_.steps[IndexOf(step)].more->part;
  if (part != nullptr) part->part->Measure(step.call);
  std::vector<StepTime>& times = state_.times()->steps;
  StepTime& time = times[IndexOf(step)];
  const int64_t begin = NowOfRun();
  const int32_t code = step.compute(step.object, step.call);
  time = {begin, NowOfRun(), ThreadNumber()};
  if (part == nullptr) return code;
  for (const RunNodeTime& node : part->part->TakeTimes(step.call)) {
    times[node_times_.at(IndexOf(step)) + node.node] = {node.begin, node.end, IsolatedThread(time.thread, node.thread)};
    time.inner += node.end - node.begin;
  }
  return code;
}

// False after a failure. Functions that the kernel has scheduled must not run after it, whether it failed or not.
bool StepLoop::EndsWell(const LaneStep& step, int32_t code) {
  const bool waited = !slots_.scheduled().Wait(step.call).has_value();
  if (code != OPSRUN_OK) return EndFailed(step, WhyFailed(step, code));
  return waited || EndFailed(step, Internal(kDidNotWait));
}

// False if the kernel did not make an output. Otherwise releases values that have no readers left.
inline bool StepLoop::AfterDynamicStep(const LaneStep& step) {
  DynamicView* const* view = step.dynamic->views;
  DynamicView* const* const released = view + step.dynamic->made;
  for (; view != released; ++view) {
    if ((!(*view)->allocated() || (*view)->is_excused()) && !ExcuseMissing(*step.dynamic)) [[unlikely]]
      return false;
  }
  EndReads(*step.dynamic);
  return true;
}

// The code is the one that the kernel returned, the text the one it recorded.
Status StepLoop::WhyFailed(const LaneStep& step, int32_t code) {
  const Status reason = state_.ReasonOf(IndexOf(step));
  if (!reason.ok()) return {KnownCode(code), reason.message(), reason.subject()};
  return {KnownCode(code), fmt::format("the kernel failed with {} but gave no reason{}", CodeName(code),
                                       ReasonFromHost(step.call->host, code))};
}

bool StepLoop::NoteStop() {
  const StepsOfThread& steps = running_[static_cast<size_t>(ThreadNumber())];
  const std::vector<uint32_t> unfinished = UnfinishedOnDevices();
  const uint32_t step = !unfinished.empty() ? unfinished[0]
                                            : LastBegun(steps.first.load(std::memory_order_relaxed),
                                                        steps.count.load(std::memory_order_relaxed));
  state_.End({step, Status(OPSRUN_CANCELLED, "the run was stopped"), 0, {}, {}}, /*aborts=*/true);
  return false;
}

// The last step of [first, first + count) that this run has begun, or the first one. Steps begin in order.
uint32_t StepLoop::LastBegun(uint32_t first, uint32_t count) const {
  const uint64_t run_id = state_.id();
  const auto begun = [run_id](const LaneStep& step) {
    return __atomic_load_n(&step.call->run_id, __ATOMIC_RELAXED) == run_id;
  };
  const auto from = steps_.begin() + first, to = from + count;
  const auto next = std::partition_point(from, to, begun);
  return static_cast<uint32_t>((next == from ? from : next - 1) - steps_.begin());
}

// If a device is busy, its unfinished step is listed in place of threads that enqueue work or wait for a device.
std::vector<RunningStep> StepLoop::Running() const {
  std::vector<RunningStep> running;
  for (const uint32_t step : UnfinishedOnDevices()) running.push_back({step, true});
  const bool device_is_busy = !running.empty();
  for (int thread = 0; thread < Threads(); ++thread) {
    const StepsOfThread& steps = running_[static_cast<size_t>(thread)];
    const uint32_t first = steps.first.load(std::memory_order_relaxed);
    const uint32_t count = steps.count.load(std::memory_order_relaxed);
    if (count == 0 || first + count > steps_.size()) continue;
    const uint32_t step = LastBegun(first, count);
    const auto sweep = std::ranges::find(sweeps_, step, [](const auto& each) { return each->first(); });
    if (sweep != sweeps_.end() && (*sweep)->AddRunning(running)) continue;
    const bool is_for_device = !device_steps_.empty() && device_steps_.at(step).is_for_device();
    if (!is_for_device || !device_is_busy) running.push_back({step, is_for_device});
  }
  return running;
}

}  // namespace opsrun::host
