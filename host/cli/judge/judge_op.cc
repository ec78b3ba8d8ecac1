// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "host/base/display_text.h"
#include "host/cli/gradcheck/gradcheck.h"
#include "host/cli/judge/compare.h"
#include "host/cli/judge/judge.h"
#include "host/cli/judge/turn.h"
#include "host/cli/judge/worker.h"
#include "host/cli/measure/machine.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {
namespace {

constexpr double kOrderNs = 5e6;                      // of a measured order, so that waking a process does not matter
constexpr size_t kOrderBytes = size_t{32} << 20;      // of its tensors, unless one call has more
constexpr size_t kMostBytesOfCall = size_t{2} << 30;  // of one call
constexpr uint32_t kMostCalls = 1000;
constexpr size_t kLeastPairs = 7;
constexpr int kMostRefused = 20;  // turns whose inputs the reference does not accept
constexpr int kSmallOfStated = 6;
constexpr int kFirstTurns = 2;  // of each sample, before anything is measured

// A sample, its plans in both processes, and what was measured.
struct Entry {
  Sample sample;
  uint32_t calls = 1;
  uint32_t plan_of_one = 0, plan_of_many = 0;
  double reference_ns = 0;  // of a call, at first
  std::vector<double> candidate, reference, ratios;
  ErrorSpread candidate_errors, reference_errors;
  std::string wrong;  // the first wrong result
  Inputs last;        // of the last measured order
};

class OpJudge {
 public:
  OpJudge(const Sides& sides, const JudgeOptions& options)
      : sides_(sides), options_(options), draws_(options.seed), maker_(sides, options.seed + 1), pool_(Threads()) {
    judged_.op = sides.op->def.name;
    for (const JudgeCheck& check : JudgeChecks()) judged_.checks.push_back({std::string(check.name)});
  }

  Judged Run(std::span<const Problem> stated, std::span<const Problem> small, const std::string& why_none) {
    reason_ = why_none;
    MakeSamples(stated, small);
    if (entries_.empty()) {
      Skip(reason_.empty() ? "no node could be drawn" : reason_);
      return std::move(judged_);
    }
    Pass("spec");
    if (Start() && TryAll() && MeasureAll()) Finish();
    Skip("the judge stopped at the first failure");
    return std::move(judged_);
  }

 private:
  int Threads() const { return options_.threads != 0 ? static_cast<int>(options_.threads) : sides_.engine->threads(); }

  CheckResult& Find(std::string_view check) { return *std::ranges::find(judged_.checks, check, &CheckResult::check); }
  void Pass(std::string_view check) { Find(check).status = CheckStatus::kPassed; }
  bool Fail(std::string_view check, const std::string& message, const Entry* entry = nullptr, bool crashed = false) {
    CheckResult& result = Find(check);
    result.status = crashed ? CheckStatus::kCrashed : CheckStatus::kFailed;
    result.message = message;
    if (entry != nullptr) result.node = entry->sample.text;
    return false;
  }
  bool Fail(const WorkerFault& fault, const Entry* entry) {
    return Fail(fault.check, fault.message, entry, fault.crashed);
  }
  bool FailReference(const std::string& message) {
    Skip("the reference failed: " + message);
    return false;
  }
  // What has no result yet.
  void Skip(const std::string& why) {
    for (CheckResult& check : judged_.checks) {
      if (check.status == CheckStatus::kSkipped && check.message.empty()) check.message = why;
    }
  }

  void Add(Result<Sample> sample) {
    if (!sample.ok()) {
      reason_ = sample.status().message();
      return;
    }
    if (sample->bytes() > kMostBytesOfCall) {
      reason_ = fmt::format("a call with {} of tensors is too large", BytesText(static_cast<double>(sample->bytes())));
      return;
    }
    entries_.emplace_back().sample = *std::move(sample);
  }

  void MakeSamples(std::span<const Problem> stated, std::span<const Problem> small) {
    for (const Problem& problem : stated) {
      Add(maker_.Make(problem, Sample::Origin::kStated));
      if (std::optional<Sample> near = maker_.MakeOther(problem, Sample::Origin::kNear)) Add(*std::move(near));
    }
    // Without drawn nodes of other kinds, smaller ones of the first kind.
    for (int i = 0; i < kSmallOfStated && small.empty() && !stated.empty(); ++i) {
      if (std::optional<Sample> other = maker_.MakeOther(stated[0], Sample::Origin::kSmall)) Add(*std::move(other));
    }
    for (const Problem& problem : small) Add(maker_.Make(problem, Sample::Origin::kSmall));
    judged_.samples = entries_.size();
  }

  // Of one side.
  size_t BytesOfTensors() const {
    constexpr size_t kPage = size_t{1} << 16;
    size_t most = kOrderBytes;
    for (const Entry& entry : entries_)
      most = std::max(most, Turn::BytesFor(entry.sample.reference.feeds, entry.sample.reference.outputs, 1));
    return (3 * most + kPage - 1) / kPage * kPage;
  }

  bool Start() {
    bytes_ = BytesOfTensors();
    const Result<std::shared_ptr<SharedRegion>> tensors = SharedRegion::Create("opsrun-judge-tensors", 2 * bytes_);
    if (!tensors.ok()) return FailReference(tensors.status().message());
    WorkerOrder order = options_.order;
    order.threads = Threads();
    order.plugin = sides_.graph == nullptr ? sides_.reference_file : "";
    reference_ = std::make_unique<Worker>(order, *tensors);
    if (const auto fault = reference_->Start()) return FailReference(fault->message);
    order.plugin = sides_.candidate_file;
    order.sandbox = options_.sandbox;
    candidate_ = std::make_unique<Worker>(order, *tensors);
    if (const auto fault = candidate_->Start()) return Fail(*fault, nullptr);
    return true;
  }

  bool Prepare(Entry& entry, uint32_t calls, uint32_t& plan) {
    PlanRequest mine = entry.sample.candidate, theirs = entry.sample.reference;
    mine.copies = theirs.copies = calls;
    plan = candidate_->plans();
    std::string failed;
    if (const auto fault = reference_->Prepare(theirs, &failed)) return FailReference(fault->message);
    if (!failed.empty()) return FailReference(failed);
    if (const auto fault = candidate_->Prepare(mine, &failed)) return Fail(*fault, &entry);
    return failed.empty() || Fail("errors", "the reference can be planned, but not the candidate: " + failed, &entry);
  }

  Result<Inputs> MakeInputs(const Entry& entry, uint32_t calls) {
    Inputs inputs;
    for (uint32_t call = 0; call < calls; ++call) {
      for (size_t i = 0; i < entry.sample.given.size(); ++i) {
        Result<Tensor> input = MakeFresh(entry.sample.fresh[i], entry.sample.given[i], draws_.Below(~uint64_t{0}));
        if (!input.ok()) return input.status();
        inputs.push_back(*std::move(input));
      }
    }
    return inputs;
  }

  // Both sides with the same fresh inputs, the candidate first: nothing that it could find is computed before. So that
  // being first is no difference, every second measured time of the reference is from before, with earlier inputs.
  // False if judging must end.
  bool TakeTurns(Entry& entry, uint32_t calls, uint32_t plan, bool measures) {
    Result<Inputs> inputs = MakeInputs(entry, calls);
    if (!inputs.ok()) return FailReference(inputs.status().message());
    SpanTimes times, reference_times, ignored;
    std::string failed;
    const bool is_second = measures && !entry.last.empty() && draws_.Coin();
    if (is_second) {
      Turn before = ReferenceTurn(entry, entry.last, calls, draws_.Coin() ? bytes_ : 0);
      before.Write(options_.warm);
      if (const auto fault = before.Run(plan, reference_times, &failed)) return FailReference(fault->message);
    }
    const Sample& sample = entry.sample;
    // Each has one half of the memory, at random.
    const size_t half = draws_.Coin() ? bytes_ : 0;
    Turn mine(*candidate_, half, bytes_, *inputs, sample.candidate.outputs, calls, draws_);
    mine.Write(options_.warm);
    if (const auto fault = mine.Run(plan, times, &failed)) return Fail(*fault, &entry);
    const std::string changed = mine.Changed();
    Turn theirs = ReferenceTurn(entry, *inputs, calls, bytes_ - half);
    theirs.Write(options_.warm);
    std::string reference_failed;
    const auto fault = theirs.Run(plan, is_second ? ignored : reference_times, &reference_failed);
    if (fault) return FailReference(fault->message);
    if (!reference_failed.empty()) return ++refused_ < kMostRefused || FailReference(reference_failed);
    if (!failed.empty()) return Fail("errors", "it fails where the reference does not: " + failed, &entry);
    if (!changed.empty()) return Fail("inputs", changed + " was written to", &entry);
    judged_.calls += calls;
    if (!Compare(entry, mine, theirs, *inputs, calls)) return false;
    const double of_call = reference_times.wall / calls;
    entry.reference_ns = entry.reference_ns == 0 ? of_call : std::min(entry.reference_ns, of_call);
    if (measures) Count(entry, calls, times, reference_times);
    if (measures) entry.last = *std::move(inputs);
    return true;
  }

  Turn ReferenceTurn(const Entry& entry, const Inputs& inputs, uint32_t calls, size_t half) {
    return Turn(*reference_, half, bytes_, entry.sample.ForReference(inputs), entry.sample.reference.outputs, calls,
                draws_);
  }

  void Count(Entry& entry, uint32_t calls, const SpanTimes& mine, const SpanTimes& theirs) {
    // What threads do after the answer counts as if the answer had come after it.
    const double late = std::max(0.0, mine.late - theirs.late);
    entry.candidate.push_back((mine.wall + late) / calls);
    entry.reference.push_back(theirs.wall / calls);
    entry.ratios.push_back((mine.wall + late) / theirs.wall);
    wall_ += mine.wall;
    cpu_ += mine.cpu;
    late_ += late;
    reference_wall_ += theirs.wall;
    reference_cpu_ += theirs.cpu;
  }

  bool Compare(Entry& entry, Turn& mine, Turn& theirs, const Inputs& inputs, uint32_t calls) {
    const Sample& sample = entry.sample;
    for (uint32_t call = 0; call < calls; ++call) {
      bool is_near = false;
      for (size_t i = 0; i < sample.outputs.size(); ++i) {
        const Tensor found = mine.Output(call, i), expected = theirs.Output(call, i);
        const Likeness likeness = CompareOutputs(found, expected, sample.exact != nullptr);
        is_near = is_near || likeness.is == Likeness::kNear;
        if (likeness.is != Likeness::kWrong) continue;
        return NoteWrong(entry, mine, theirs, call, i, likeness.place);
      }
      const bool is_sample = sample.exact != nullptr && entry.candidate_errors.errors.size() < kErrorsOfSample;
      if (is_near || is_sample) AddErrors(entry, mine, theirs, inputs, call);
    }
    Remember(theirs, sample, calls);
    return true;
  }

  // Of a call, in units of the last place of the exact result.
  void AddErrors(Entry& entry, const Turn& mine, const Turn& theirs, const Inputs& inputs, uint32_t call) {
    const Sample& sample = entry.sample;
    std::vector<Tensor> wide;
    const size_t count = sample.given.size();
    for (size_t i = 0; i < count; ++i) {
      const Tensor& input = inputs[call * count + i];
      if (input.dtype() != sample.narrow) {
        wide.push_back(input);
        continue;
      }
      const Result<Tensor> wider = FromRealParts(PreciseType(sample.narrow), input.shape(), RealParts(input));
      if (!wider.ok()) return;
      wide.push_back(*wider);
    }
    const Result<std::vector<Tensor>> exact = CallHere(*sample.exact, sample.ForReference(wide));
    if (!exact.ok()) return;
    for (size_t i = 0; i < exact->size(); ++i) {
      const Tensor found = mine.Output(call, i);
      if (found.dtype() != sample.narrow || (*exact)[i].shape() != found.shape()) continue;
      entry.candidate_errors.Add(found, (*exact)[i]);
      entry.reference_errors.Add(theirs.Output(call, i), (*exact)[i]);
    }
  }

  bool NoteWrong(Entry& entry, Turn& mine, Turn& theirs, uint32_t call, size_t i, int64_t place) {
    const Tensor expected = theirs.Output(call, i);
    const Tensor found = mine.Output(call, i);
    std::string message = DescribeWrong(entry.sample.outputs[i], found, expected, place);
    if (mine.IsUnwritten(call, i, place)) {
      message += "; the kernel has not written it";
    } else if (IsEarlier(found)) {
      message += "; it is the result of an earlier call";
    }
    constexpr std::chrono::milliseconds kLater{100};
    if (mine.LetRun(kLater)) return Fail("results", message, &entry);
    if (CompareOutputs(mine.Output(call, i), expected, entry.sample.exact != nullptr).is != Likeness::kWrong) {
      return Fail("late",
                  "the kernel returned before its work was done: " + message +
                      fmt::format("; it was right {} ms later", kLater.count()),
                  &entry);
    }
    if (measuring_) return Fail("results", message, &entry);
    entry.wrong = message;
    return true;
  }

  void Remember(const Turn& theirs, const Sample& sample, uint32_t calls) {
    constexpr size_t kMost = 64;
    constexpr size_t kMostBytesOfOne = size_t{1} << 20;
    for (uint32_t call = 0; call < std::min(calls, 4U); ++call) {
      for (size_t i = 0; i < sample.outputs.size(); ++i) {
        const Tensor result = theirs.Output(call, i);
        if (result.num_bytes() < 4 || result.num_bytes() > kMostBytesOfOne) continue;
        earlier_.emplace_back(static_cast<const char*>(result.data()), result.num_bytes());
        if (earlier_.size() > kMost) earlier_.pop_front();
      }
    }
  }

  bool IsEarlier(const Tensor& found) const {
    const std::string_view bytes(static_cast<const char*>(found.data()), found.num_bytes());
    return std::ranges::find(earlier_, bytes) != earlier_.end();
  }

  std::vector<Entry*> InRandomOrder(bool only_measured) {
    std::vector<Entry*> order;
    for (Entry& entry : entries_) {
      if (!only_measured || entry.sample.is_measured()) order.push_back(&entry);
    }
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws_.Below(i)]);
    return order;
  }

  // All samples, before anything is measured.
  bool TryAll() {
    for (Entry* const entry : InRandomOrder(false)) {
      if (!Prepare(*entry, 1, entry->plan_of_one)) return false;
      for (int i = 0; i < kFirstTurns && entry->wrong.empty(); ++i) {
        if (!TakeTurns(*entry, 1, entry->plan_of_one, false)) return false;
      }
    }
    const Entry *stated = nullptr, *drawn = nullptr;
    bool has_stated = false;
    for (const Entry& entry : entries_) {
      const bool is_stated = entry.sample.origin == Sample::Origin::kStated;
      has_stated = has_stated || is_stated;
      if (!entry.wrong.empty()) (is_stated ? stated : drawn) = &entry;
    }
    if (stated != nullptr) return Fail("results", stated->wrong, stated);
    if (drawn == nullptr) return true;
    if (!has_stated) return Fail("results", drawn->wrong, drawn);
    return Fail("sizes", "right for the sizes that were asked for, but not for others: " + drawn->wrong, drawn);
  }

  // How many fill the time of an order, as far as the memory has room for them.
  uint32_t CallsFor(const Entry& entry) const {
    const Sample& sample = entry.sample;
    const size_t tensors = std::max<size_t>(sample.given.size() + sample.outputs.size(), 1);
    const double wanted = std::min({kOrderNs / std::max(entry.reference_ns, 1.0), static_cast<double>(kMostCalls),
                                    static_cast<double>(kMostPlaces / tensors),
                                    static_cast<double>(kOrderBytes) / static_cast<double>(sample.bytes() + 1)});
    auto calls = static_cast<uint32_t>(std::max(wanted, 1.0));
    while (calls > 1 && Turn::BytesFor(sample.reference.feeds, sample.reference.outputs, calls) > bytes_) calls /= 2;
    return calls;
  }

  bool MeasureAll() {
    measuring_ = true;
    for (Entry* const entry : InRandomOrder(true)) {
      // A first order counts the waking of a process as well, so its calls seem longer than they are.
      for (int i = 0; i < 3; ++i) {
        const uint32_t calls = CallsFor(*entry);
        if (i > 0 && calls < 2 * entry->calls) break;
        entry->calls = calls;
        if (!Prepare(*entry, calls, entry->plan_of_many)) return false;
        if (!TakeTurns(*entry, calls, entry->plan_of_many, false)) return false;
      }
    }
    const int64_t end = NowNs() + static_cast<int64_t>(options_.measure_ms) * 1'000'000;
    const auto enough = [&] {
      return NowNs() >= end && std::ranges::all_of(entries_, [](const Entry& entry) {
               return !entry.sample.is_measured() || entry.ratios.size() >= kLeastPairs;
             });
    };
    for (size_t round = 0; !enough() && round < 10'000; ++round) {
      const std::vector<Entry*> order = InRandomOrder(true);
      if (order.empty()) break;
      for (Entry* const entry : order) {
        if (!TakeTurns(*entry, entry->calls, entry->plan_of_many, true)) return false;
      }
    }
    return true;
  }

  void Finish() {
    for (const char* const check : {"errors", "processes", "results", "sizes", "inputs", "late"}) Pass(check);
    judged_.late_share = wall_ > 0 ? late_ / wall_ : 0;
    judged_.processors = wall_ > 0 ? cpu_ / wall_ : 0;
    judged_.reference_processors = reference_wall_ > 0 ? reference_cpu_ / reference_wall_ : 0;
    FinishAccuracy();
    FinishSizes();
    FinishThreads();
  }

  void FinishAccuracy() {
    CheckResult& result = Find("accuracy");
    for (Entry& entry : entries_) {
      ErrorSpread &mine = entry.candidate_errors, &theirs = entry.reference_errors;
      if (mine.errors.empty()) continue;
      if (result.status != CheckStatus::kFailed) result.status = CheckStatus::kPassed;
      judged_.candidate_error = std::max(judged_.candidate_error, mine.At(0.99));
      judged_.reference_error = std::max(judged_.reference_error, theirs.At(0.99));
      const std::string message = DescribeErrors(mine, theirs, static_cast<double>(options_.accuracy));
      if (!message.empty()) Fail("accuracy", message, &entry);
    }
    if (result.status == CheckStatus::kSkipped)
      result.message = "the reference has no kernel in higher precision for these types";
  }

  void FinishSizes() {
    bool any = false;
    std::vector<double> low, high, medians;
    CheckResult& limits = Find("limits");
    for (Entry& entry : entries_) {
      if (entry.ratios.empty()) continue;
      any = true;
      JudgedSize& size = judged_.sizes.emplace_back();
      size.text = entry.sample.text;
      size.stated = entry.sample.origin == Sample::Origin::kStated;
      size.calls = entry.calls;
      const Summary candidate = Summarize(entry.candidate);
      size.candidate_ns = candidate.median;
      size.reference_ns = Summarize(entry.reference).median;
      size.ratio = Summarize(entry.ratios);
      size.least_ns = LeastNs(entry);
      low.push_back(std::log(size.ratio.noise.low));
      high.push_back(std::log(size.ratio.noise.high));
      medians.push_back(std::log(size.ratio.median));
      if (candidate.median < size.least_ns) {
        Fail("limits",
             fmt::format("a call took {}, less than the {} that this machine needs {}", DurationText(candidate.median),
                         DurationText(size.least_ns),
                         options_.request.flops != 0 && size.stated ? "for its operations" : "to write its outputs"),
             &entry);
      }
    }
    if (!any) {
      limits.message = "nothing was measured: the op accepts no vector; pass --shape, or --cases";
      return;
    }
    if (limits.status == CheckStatus::kSkipped) Pass("limits");
    const auto mean = [](const std::vector<double>& logs) {
      double sum = 0;
      for (const double each : logs) sum += each;
      return std::exp(sum / static_cast<double>(logs.size()));
    };
    judged_.ratio = Interval{mean(low), mean(high)};
    judged_.median_ratio = mean(medians);
  }

  // Faster than that is impossible, with some room for caches: three quarters of what was measured for writing as many
  // bytes, or for the operations of a stated size.
  double LeastNs(const Entry& entry) {
    constexpr double kShare = 0.75;
    size_t bytes = 0;
    for (const TensorType& type : entry.sample.reference.outputs) bytes += type.bytes();
    double least = FillNs(bytes * entry.calls, pool_) / entry.calls;
    if (options_.request.flops != 0 && entry.sample.origin == Sample::Origin::kStated) {
      const bool wide = entry.sample.reference.outputs[0].dtype == DType::kFloat64;
      least = std::max(least, static_cast<double>(options_.request.flops) / PeakFlops(wide, pool_) * 1e9);
    }
    return kShare * least;
  }

  void FinishThreads() {
    constexpr double kMostLate = 0.05, kSlack = 0.15;
    if (wall_ == 0) {
      Find("threads").message = "nothing was measured";
      return;
    }
    Pass("threads");
    if (judged_.late_share > kMostLate) {
      Fail("late", fmt::format("its threads went on working after the calls had returned: {} of the time",
                               ShareText(judged_.late_share)));
    }
    if (judged_.processors > Threads() + kSlack) {
      Fail("threads",
           fmt::format("it used {:.2f} processors, though {} allowed: it has threads of its own", judged_.processors,
                       Threads() == 1 ? "1 thread is" : fmt::format("{} threads are", Threads())));
    }
  }

  static constexpr size_t kErrorsOfSample = 20'000;

  const Sides& sides_;
  const JudgeOptions& options_;
  Draws draws_;
  SampleMaker maker_;
  ThreadPool pool_;
  Judged judged_;
  std::string reason_;
  std::deque<Entry> entries_;
  std::unique_ptr<Worker> reference_, candidate_;
  std::deque<std::string> earlier_;  // results of the reference, as bytes
  size_t bytes_ = 0;                 // of the tensors of a side
  bool measuring_ = false;
  int refused_ = 0;  // turns whose inputs the reference did not accept
  double wall_ = 0, cpu_ = 0, late_ = 0, reference_wall_ = 0, reference_cpu_ = 0;
};

constexpr JudgeCheck kJudgeChecks[] = {
    {"spec", "Is the op the same as the reference's: inputs, outputs, attrs?"},
    {"errors", "Does it compute whatever the reference computes, without failing?"},
    {"processes", "Does all of its work happen in the process that is measured?"},
    {"results", "Is each result of each call right, for values that it has never seen?"},
    {"sizes", "Are results also right for sizes that nobody asked for?"},
    {"inputs", "Are the inputs, and the memory around all tensors, left as they were?"},
    {"late", "Is the work done when the kernel returns?"},
    {"accuracy", "Are the results as accurate as the reference's?"},
    {"threads", "Does it use only the threads that it was given?"},
    {"limits", "Is its speed possible on this machine?"},
};

}  // namespace

std::span<const JudgeCheck> JudgeChecks() {
  return kJudgeChecks;
}

bool Judged::Failed() const {
  return std::ranges::any_of(checks, [](const CheckResult& check) {
    return check.status == CheckStatus::kFailed || check.status == CheckStatus::kCrashed;
  });
}

Judged JudgeOp(const Sides& sides, const JudgeOptions& options, std::span<const Problem> stated,
               std::span<const Problem> small, const std::string& why_none) {
  return OpJudge(sides, options).Run(stated, small, why_none);
}

}  // namespace opsrun::host
