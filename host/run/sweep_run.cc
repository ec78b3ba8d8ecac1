// SPDX-License-Identifier: Apache-2.0
#include "host/run/sweep_run.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "host/base/plugin_code.h"
#include "host/plan/call_arrays.h"
#include "host/run/step_loop.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {
namespace {

// Of smaller tensors, most is in a cache.
constexpr size_t kLeastFetched = size_t{16} << 20;

}  // namespace

// What one thread needs: views of the tensors, and calls that point at them.
class SweepRun::Thread final : public PluginCode {
 public:
  Thread(SweepRun& run, size_t number);
  Thread(const Thread&) = delete;

  PluginCodeFacts Facts() const override {
    const uint32_t step = at();
    if (step == PlanValue::kNone) return {};
    PluginCodeFacts facts = plan_.Facts(plan_.steps[step], PluginPhase::kCompute);
    facts.call = &calls_[step - run_.sweep_.first].call;
    return facts;
  }
  // The step that it is in; PlanValue::kNone: none. From any thread.
  uint32_t at() const { return at_.load(std::memory_order_relaxed); }
  // By member, in nanoseconds, since the last call.
  std::vector<int64_t> TakeTimes() { return std::exchange(times_, std::vector<int64_t>(times_.size())); }

  // Tiles [begin, end). Not OPSRUN_OK if the run must stop.
  int32_t Run(int64_t begin, int64_t end);

 private:
  struct View {
    opsrun_tensor tensor;
    std::vector<int64_t> sizes;  // shape, then strides
    const opsrun_tensor* whole;
    size_t skipped;         // bytes in front of this thread's part
    size_t bytes_per_tile;  // by which a tile is behind the last one
    bool by_rows;
  };
  struct Call {
    TileCall call;
    std::vector<const opsrun_tensor*> in;
    opsrun_tensor* out;
  };

  opsrun_tensor* ViewOf(uint32_t value, const SweepPart& part);
  void MoveTo(int64_t tile);
  void FetchNext(uint32_t member) const;
  int32_t RunMembers(const FloatingPointMode& floats);
  int32_t Compute(uint32_t member, const FloatingPointMode& floats);

  SweepRun& run_;
  const Plan& plan_;
  const size_t number_;
  std::deque<View> views_;
  std::map<std::pair<uint32_t, bool>, View*> view_of_;  // by value, and whether it is read by rows
  std::deque<Call> calls_;                              // by member
  std::vector<int64_t> times_;
  std::vector<const View*> fetched_;  // tensors of which tiles are fetched before they are needed
  bool fetches_ = false;
  std::atomic<uint32_t> at_{PlanValue::kNone};
};

SweepRun::Thread::Thread(SweepRun& run, size_t number)
    : run_(run), plan_(run.memory_.plan()), number_(number), times_(run.sweep_.count) {
  const SweepPart* part = run.sweep_.parts.data();
  for (uint32_t s = run.sweep_.first; s < run.sweep_.first + run.sweep_.count; ++s) {
    const Step& step = plan_.steps[s];
    Call& made = calls_.emplace_back();
    static_cast<opsrun_call&>(made.call) = *run_.memory_.calls()[s];
    made.call.step = s;
    for (const uint32_t value : step.inputs) made.in.push_back(ViewOf(value, *part++));
    made.out = ViewOf(step.outputs[0], *part++);
    made.call.flags |= kTileCall;
    made.call.in = made.in.data();
    made.call.out = &made.out;
  }
  const auto tiles = static_cast<size_t>(run_.sweep_.rows / run_.sweep_.rows_per_tile);
  for (const View& view : views_) {
    if (view.bytes_per_tile * tiles >= kLeastFetched) fetched_.push_back(&view);
  }
}

opsrun_tensor* SweepRun::Thread::ViewOf(uint32_t value, const SweepPart& part) {
  const auto [at, is_new] = view_of_.emplace(std::pair(value, part.by_rows), nullptr);
  if (!is_new) return &at->second->tensor;
  const PlanValue& planned = plan_.values[value];
  const opsrun_tensor& whole = run_.memory_.view(value);
  View& view = views_.emplace_back(View{whole, part.shape, &whole, 0, 0, part.by_rows});
  at->second = &view;
  if (part.by_rows) {
    view.sizes.insert(view.sizes.begin(), run_.sweep_.rows_per_tile);
    view.bytes_per_tile = static_cast<size_t>(*NumElements(view.sizes)) * DTypeSize(planned.dtype);
  }
  if (planned.tile_bytes > 0) {
    view.bytes_per_tile = 0;
    view.skipped = number_ * run_.sweep_.bytes_per_thread;
  }
  if (view.bytes_per_tile % 64 != 0) view.tensor.flags &= ~OPSRUN_TENSOR_ALIGNED64;
  const size_t rank = view.sizes.size();
  view.sizes.resize(2 * rank);
  FillStrides(static_cast<int32_t>(rank), view.sizes.data(), view.sizes.data() + rank);
  view.tensor.rank = static_cast<int32_t>(rank);
  view.tensor.shape = view.sizes.data();
  view.tensor.strides = view.sizes.data() + rank;
  return &view.tensor;
}

void SweepRun::Thread::MoveTo(int64_t tile) {
  const int64_t done = tile * run_.sweep_.rows_per_tile;
  for (View& view : views_) {
    view.tensor.data =
        static_cast<char*>(view.whole->data) + view.skipped + static_cast<size_t>(tile) * view.bytes_per_tile;
    if (view.by_rows) view.sizes[0] = std::min(run_.sweep_.rows - done, run_.sweep_.rows_per_tile);
  }
}

// Asks for the member's share of the next tile, so that memory is not idle while the members compute. Kernels that read
// it wait for each page otherwise, as processors do not fetch ahead across pages.
void SweepRun::Thread::FetchNext(uint32_t member) const {
  constexpr size_t kLine = 64;
  for (const View* view : fetched_) {
    const size_t share = view->bytes_per_tile / calls_.size() / kLine * kLine + kLine;
    const size_t end = std::min((member + 1) * share, view->bytes_per_tile);
    const char* const next = static_cast<const char*>(view->tensor.data) + view->bytes_per_tile;
    for (size_t at = member * share; at < end; at += kLine) __builtin_prefetch(next + at, 0, 2);
  }
}

int32_t SweepRun::Thread::Run(int64_t begin, int64_t end) {
  const RunningMark mark(this);
  const FloatingPointMode floats;
  const int64_t began = NowOfRun();
  int32_t code = OPSRUN_OK;
  for (Call& each : calls_) each.call.run_id = run_.slots_.run().id();
  for (int64_t tile = begin; tile < end && code == OPSRUN_OK; ++tile) {
    MoveTo(tile);
    fetches_ = tile + 1 < end && !fetched_.empty();
    code = run_.slots_.run().MustStop() ? OPSRUN_CANCELLED : RunMembers(floats);
  }
  at_.store(PlanValue::kNone, std::memory_order_relaxed);
  run_.tile_ns_.store((NowOfRun() - began) / (end - begin), std::memory_order_relaxed);
  return code;
}

// An exception ends the run as a failure of the step that threw it.
int32_t SweepRun::Thread::RunMembers(const FloatingPointMode& floats) {
  int32_t code = OPSRUN_OK;
  uint32_t member = 0;
  const std::optional<Thrown> thrown = CatchThrown([&] {
    for (; member < calls_.size() && code == OPSRUN_OK; ++member) code = Compute(member, floats);
  });
  if (thrown) {
    CallSlots& slots = run_.slots_;
    opsrun_call& call = calls_[member].call;
    slots.scheduled().Wait(&call);
    code = slots.Fail(&call, thrown->code(), "the kernel " + thrown->Sentence());
  } else if (code != OPSRUN_OK) {
    --member;
  }
  if (code != OPSRUN_OK) run_.members_[member].code.store(code, std::memory_order_relaxed);
  return code;
}

int32_t SweepRun::Thread::Compute(uint32_t member, const FloatingPointMode& floats) {
  CallSlots& slots = run_.slots_;
  opsrun_call& call = calls_[member].call;
  const Step& step = plan_.steps[calls_[member].call.step];
  at_.store(calls_[member].call.step, std::memory_order_relaxed);
  if (fetches_) FetchNext(member);
  const bool timed = slots.run().times() != nullptr;
  const int64_t begin = timed ? NowOfRun() : 0;
  const int32_t code = step.kernel()->compute(step.object, &call);
  if (timed) times_[member] += NowOfRun() - begin;
  if ((floats.Change() | slots.scheduled().rest()) == 0) [[likely]]
    return code;
  run_.loop_.RestoreFloatingPoint(floats, calls_[member].call.step, 1);
  const bool waited = !slots.scheduled().Wait(&call).has_value();
  return waited || code != OPSRUN_OK ? code : slots.Fail(&call, OPSRUN_INTERNAL, kDidNotWait);
}

SweepRun::SweepRun(const Sweep& sweep, const LaneMemory& memory, CallSlots& slots, StepLoop& loop, LaneStep* steps)
    : sweep_(sweep), memory_(memory), slots_(slots), loop_(loop), members_(new Member[sweep.count]) {
  const int threads = slots.pool() == nullptr ? 1 : std::min(slots.pool()->threads(), memory.plan().threads);
  for (int thread = 0; thread < threads; ++thread)
    threads_.push_back(std::make_unique<Thread>(*this, static_cast<size_t>(thread)));
  for (uint32_t m = 0; m < sweep.count; ++m) {
    members_[m].sweep = this;
    steps[sweep.first + m].compute = m == 0 ? &RunAll : &ReturnCode;
    steps[sweep.first + m].object = &members_[m];
  }
}

SweepRun::~SweepRun() = default;

int32_t SweepRun::RunAll(void* member, opsrun_call* call) {
  SweepRun& it = *static_cast<Member*>(member)->sweep;
  const Sweep& sweep = it.sweep_;
  for (uint32_t m = 0; m < sweep.count; ++m) it.members_[m].code.store(OPSRUN_OK, std::memory_order_relaxed);
  const int64_t tiles = (sweep.rows + sweep.rows_per_tile - 1) / sweep.rows_per_tile;
  ThreadPool* const pool = it.slots_.pool();
  if (pool == nullptr || static_cast<size_t>(pool->threads()) > it.threads_.size()) {
    it.threads_[0]->Run(0, tiles);
  } else {
    const auto run_tiles = [](void* run, int64_t begin, int64_t end) {
      const SweepRun& self = *static_cast<SweepRun*>(run);
      return self.threads_[static_cast<size_t>(self.slots_.pool()->CurrentThread() + 1)]->Run(begin, end);
    };
    ParallelFor(*pool, tiles, it.tile_ns_.load(std::memory_order_relaxed), run_tiles, &it);
  }
  return ReturnCode(member, call);
}

int32_t SweepRun::ReturnCode(void* member, opsrun_call*) {
  return static_cast<Member*>(member)->code.load(std::memory_order_relaxed);
}

bool SweepRun::AddRunning(std::vector<RunningStep>& running) const {
  const size_t before = running.size();
  for (const std::unique_ptr<Thread>& thread : threads_) {
    const uint32_t at = thread->at();
    if (at != PlanValue::kNone) running.push_back({at, false});
  }
  return running.size() > before;
}

void SweepRun::DivideTime(RunTimes& times) const {
  std::vector<int64_t> parts(sweep_.count);
  for (const std::unique_ptr<Thread>& thread : threads_) {
    const std::vector<int64_t> taken = thread->TakeTimes();
    for (size_t m = 0; m < parts.size(); ++m) parts[m] += taken[m];
  }
  const auto total = static_cast<double>(std::max<int64_t>(1, std::accumulate(parts.begin(), parts.end(), int64_t{0})));
  const StepTime all = times.steps[sweep_.first];
  int64_t begin = all.begin, taken = 0;
  for (uint32_t m = 0; m < sweep_.count; ++m) {
    StepTime& step = times.steps[sweep_.first + m];
    if (step.begin == 0) break;  // the run has ended
    taken += parts[m];
    const int64_t end =
        all.begin + static_cast<int64_t>(static_cast<double>(all.end - all.begin) * static_cast<double>(taken) / total);
    step = {begin, end, all.thread};
    begin = end;
  }
}

}  // namespace opsrun::host
