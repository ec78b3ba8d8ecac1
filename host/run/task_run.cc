// SPDX-License-Identifier: Apache-2.0
#include "host/run/task_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/base/display_text.h"
#include "host/run/step_loop.h"
#include "host/tensor/number_type.h"
#include "host/tensor/tensor.h"

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
  aborted_ = false;
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

void RunState::End(RunFailure failure, bool aborts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (keep_going_) {
    Add(std::move(failure), aborts);
  } else if (!failure_) {
    failure_ = std::move(failure);
  } else if (failure.repro.written) {  // it was written first
    failure.others = failure_->others + (failure_->status.code() != OPSRUN_CANCELLED ? 1 : 0);
    failure_ = std::move(failure);
  } else if (failure.status.code() != OPSRUN_CANCELLED) {
    ++failure_->others;
  }
  failed_.store(true, std::memory_order_relaxed);
}

// With keep_going. What aborts the run comes first; of several threads that notice a stop, one reports it.
void RunState::Add(RunFailure failure, bool aborts) {
  if (aborts && std::exchange(aborted_, true)) return;
  if (failure_ && aborts) {
    failure.more = std::exchange(failure_->more, {});
    failure.more.insert(failure.more.begin(), *std::exchange(failure_, std::nullopt));
  }
  if (failure_) {
    failure_->more.push_back(std::move(failure));
  } else {
    failure_ = std::move(failure);
  }
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

TaskRun::TaskRun(StepLoop& loop, const RunState& state, const std::vector<Task>& tasks, ThreadPool& pool)
    : loop_(loop),
      state_(state),
      pool_(pool),
      tasks_(tasks),
      ready_(tasks, pool.threads()),
      waits_(new std::atomic<uint32_t>[tasks_.size()]) {
  for (uint32_t t = 0; t < tasks_.size(); ++t) {
    if (tasks_[t].waits_for == 0) roots_.push_back(t);
    if (tasks_[t].next.empty()) ++ends_;
  }
}

void TaskRun::Run() {
  for (uint32_t t = 0; t < tasks_.size(); ++t) waits_[t].store(tasks_[t].waits_for, std::memory_order_relaxed);
  ready_.Clear();
  for (const uint32_t root : roots_) ready_.Put(root);
  left_.store(ends_, std::memory_order_relaxed);
  over_.store(false, std::memory_order_relaxed);
  pool_.Invite(*this, static_cast<int>(std::min(roots_.size() - 1, static_cast<size_t>(pool_.threads()))));
  Help();
  if (!over_.load(std::memory_order_relaxed)) pool_.AwaitFinish(*this);
  pool_.Dismiss(*this);
}

// Leaves only if no task is ready after it has said that it leaves: whoever makes one ready later invites a thread.
void TaskRun::Help() {
  const auto thread = static_cast<uint32_t>(pool_.CurrentThread() + 1);
  do {
    here_.fetch_add(1, std::memory_order_relaxed);
    for (uint32_t task = Take(thread); task != kNone; task = Take(thread)) RunFrom(task, thread);
    here_.fetch_sub(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } while (!over_.load(std::memory_order_relaxed) && !ready_.AreEmpty());
}

// None once the run must stop.
uint32_t TaskRun::Take(uint32_t thread) {
  if (state_.MustStop()) {
    loop_.NoteStop();
    SetOver();
    return kNone;
  }
  const uint32_t mine = ready_.Take(thread);
  return mine != kNone ? mine : ready_.Steal(thread);
}

void TaskRun::RunFrom(uint32_t task, uint32_t thread) {
  while (task != kNone && loop_.RunSteps(tasks_[task].first, tasks_[task].count)) task = End(task, thread);
}

// Returns the task that this thread continues with, if one of its own became ready, or any while it has no other. The
// rest are put into the queues.
uint32_t TaskRun::End(uint32_t task, uint32_t thread) {
  uint32_t next = kNone;
  int more = 0;
  for (const uint32_t waiting : tasks_[task].next) {
    if (waits_[waiting].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    const bool may_be_next = ready_.HomeOf(waiting) == thread || ready_.IsEmpty(thread);
    if (next == kNone && may_be_next) {
      next = waiting;
      continue;
    }
    ready_.Put(waiting);
    ++more;
  }
  if (more > 0) InviteOthers(more);
  if (tasks_[task].next.empty() && left_.fetch_sub(1, std::memory_order_acq_rel) == 1) SetOver();
  return next;
}

void TaskRun::InviteOthers(int tasks) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const int away = pool_.threads() - here_.load(std::memory_order_relaxed);
  if (away > 0) pool_.Invite(*this, std::min(tasks, away));
}

void TaskRun::SetOver() {
  if (!over_.exchange(true, std::memory_order_relaxed)) pool_.Finish(*this);
}

namespace {

template <typename T>
bool IsNan(const T& number) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else if constexpr (kIsComplex<T>) {
    return std::isnan(number.real()) || std::isnan(number.imag());
  } else {
    return std::isnan(static_cast<double>(number));
  }
}

struct Nans {
  int64_t first = -1;
  int64_t count = 0;
};

Nans FindNans(DType dtype, const void* data, int64_t elements) {
  return WithNumberType(dtype, [&](auto zero) {
    using T = decltype(zero);
    Nans found;
    for (int64_t i = 0; i < elements; ++i) {
      if (!IsNan(static_cast<const T*>(data)[i])) continue;
      if (found.count++ == 0) found.first = i;
    }
    return found;
  });
}

bool MayHaveNans(DType dtype) {
  return !HasSlots(dtype) && WithNumberType(dtype, [](auto zero) { return !std::is_integral_v<decltype(zero)>; });
}

}  // namespace

int32_t StepCheck::Run(void* check, opsrun_call* call) {
  const auto& it = *static_cast<const StepCheck*>(check);
  const int32_t code = it.compute_(it.object_, call), damage = it.FindDamage(call);
  if (damage != OPSRUN_OK || code != OPSRUN_OK) return damage != OPSRUN_OK ? damage : code;
  return it.nans_ ? it.FindNan(call) : OPSRUN_OK;
}

int32_t StepCheck::FindDamage(opsrun_call* call) const {
  Device& device = slots_.DeviceOf(call).device();
  if (!device.is_guarded()) return OPSRUN_OK;
  const auto fail = [&](const std::string& damage, const std::string& of) {
    return slots_.Fail(call, OPSRUN_INTERNAL, fmt::format("the kernel wrote {} of {}", damage, of), "plugin");
  };
  for (uint32_t i = 0; i < call->n_out; ++i) {
    const void* const data = call->out[i]->data;
    const std::string damage = data == nullptr ? "" : device.Damage(data);
    if (!damage.empty()) return fail(damage, fmt::format("its output '{}'", slots_.OutputName(call, i)));
  }
  for (uint32_t i = 0; i < call->n_in; ++i) {
    const void* const data = call->in[i]->data;
    const std::string damage = data == nullptr ? "" : device.Damage(data);
    if (!damage.empty()) return fail(damage, fmt::format("its input {}, which is read-only", i));
  }
  const std::string damage = device.Damage(nullptr);
  return damage.empty() ? OPSRUN_OK : fail(damage, "a temporary");
}

int32_t StepCheck::FindNan(opsrun_call* call) const {
  Device& device = slots_.DeviceOf(call).device();
  Status status = call->stream == nullptr ? OkStatus() : device.Drain(call->stream);
  for (uint32_t i = 0; i < call->n_out && status.ok(); ++i) {
    const opsrun_tensor& out = *call->out[i];
    if (out.rank < 0 || !MayHaveNans(DTypeOf(out)) || !slots_.IsRead(call, i)) continue;
    const size_t bytes = ViewBytes(out);
    const auto copy = std::make_unique<std::byte[]>((out.flags & OPSRUN_TENSOR_HOST) != 0 ? 0 : bytes);
    const void* data = out.data;
    if ((out.flags & OPSRUN_TENSOR_HOST) == 0) {
      data = copy.get();
      status = device.Copy(Device::Direction::kOut, copy.get(), out.data, bytes, call->stream);
      if (status.ok()) status = device.Drain(call->stream);
      if (!status.ok()) break;
    }
    const Nans nans = FindNans(DTypeOf(out), data, static_cast<int64_t>(bytes / DTypeSize(DTypeOf(out))));
    if (nans.count == 0) continue;
    const std::string name = slots_.OutputName(call, i);
    return slots_.Fail(call, OPSRUN_OUT_OF_RANGE,
                       fmt::format("output '{}' has {}, the first at {}", name, Several(nans.count, "NaN"),
                                   IndexText(Shape(out.shape, out.shape + out.rank), nans.first)),
                       "output:" + name);
  }
  return status.ok() ? OPSRUN_OK : slots_.Fail(call, status.code(), status.message());
}

}  // namespace opsrun::host
