// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <tuple>

#include "host/base/display_text.h"
#include "host/cli/judge/compare.h"
#include "host/cli/judge/contest.h"
#include "host/cli/measure/machine.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostBytesOfCall = size_t{2} << 30;  // of one call
constexpr size_t kLeastPairs = 7;
constexpr int kSmallOfStated = 6;
constexpr size_t kEnoughErrors = 2000;  // numbers of a node whose accuracy is judged by itself
// Of each sample, before anything is measured: the last two find results that are given back for other inputs.
constexpr Turns kFirstTurns[] = {Turns::kFresh, Turns::kSamePlaces, Turns::kAlmostSame};

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
    if (nodes_.empty()) {
      Skip(reason_.empty() ? "no node could be drawn" : reason_);
      return std::move(judged_);
    }
    Pass("spec");
    contest_.emplace(sides_, options_, draws_, BytesOfTensors());
    const auto found = contest_->Start(Threads());
    if (!found) judged_.gaps = contest_->gaps();
    if (found ? Fail(*found) : TryAll() && MeasureAll()) Finish();
    judged_.calls = contest_->calls();
    Skip("the judge stopped at the first failure");
    return std::move(judged_);
  }

 private:
  int Threads() const { return options_.threads != 0 ? static_cast<int>(options_.threads) : sides_.engine->threads(); }

  CheckResult& Find(std::string_view check) { return *std::ranges::find(judged_.checks, check, &CheckResult::check); }
  void Pass(std::string_view check) { Find(check).status = CheckStatus::kPassed; }
  void Fail(std::string_view check, const std::string& message, const std::string& node, bool crashed = false) {
    CheckResult& result = Find(check);
    result.status = crashed ? CheckStatus::kCrashed : CheckStatus::kFailed;
    result.message = message;
    result.node = node;
  }
  bool Fail(const Objection& found) {
    if (found.check.empty()) {
      Skip(found.message);
    } else {
      Fail(found.check, found.message, found.node, found.crashed);
    }
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
    nodes_.emplace_back().sample = *std::move(sample);
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
    judged_.samples = nodes_.size();
  }

  // Of one side.
  size_t BytesOfTensors() const {
    constexpr size_t kPage = size_t{1} << 16;
    size_t most = 0;
    for (const JudgedNode& node : nodes_) {
      const auto& [feeds, outputs] = std::tie(node.sample.reference.feeds, node.sample.reference.outputs);
      most = std::max(most, Turn::BytesFor(feeds, outputs, 1));
      if (node.sample.is_measured())
        most = std::max(most, std::min(Turn::BytesFor(feeds, outputs, kMostCalls), kOrderBytes));
    }
    return (2 * most + kPage - 1) / kPage * kPage;
  }

  std::vector<JudgedNode*> InRandomOrder(bool only_measured) {
    std::vector<JudgedNode*> order;
    for (JudgedNode& node : nodes_) {
      if (!only_measured || node.sample.is_measured()) order.push_back(&node);
    }
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws_.Below(i)]);
    return order;
  }

  // All samples, before anything is measured.
  bool TryAll() {
    for (JudgedNode* const node : InRandomOrder(false)) {
      uint32_t plan = 0;
      if (const auto found = contest_->Prepare(*node, 1, &plan)) return Fail(*found);
      for (const Turns turns : kFirstTurns) {
        if (!node->wrong.empty()) break;
        if (const auto found = contest_->TakeTurns(*node, 1, plan, turns)) return Fail(*found);
      }
    }
    const JudgedNode *stated = nullptr, *drawn = nullptr;
    bool has_stated = false;
    for (const JudgedNode& node : nodes_) {
      const bool is_stated = node.sample.origin == Sample::Origin::kStated;
      has_stated = has_stated || is_stated;
      if (!node.wrong.empty()) (is_stated ? stated : drawn) = &node;
    }
    if (stated != nullptr) return Fail({"results", stated->wrong, stated->sample.text});
    if (drawn == nullptr) return true;
    if (!has_stated) return Fail({"results", drawn->wrong, drawn->sample.text});
    return Fail({"sizes", "right for the sizes and types that were asked for, but not for others: " + drawn->wrong,
                 drawn->sample.text});
  }

  bool MeasureAll() {
    for (JudgedNode* const node : InRandomOrder(true)) {
      // A first order counts the waking of a process as well, so its calls seem longer than they are.
      for (int i = 0; i < 3; ++i) {
        const uint32_t calls = contest_->CallsFor(*node);
        if (i > 0 && calls < 2 * node->calls) break;
        node->calls = calls;
        if (const auto found = contest_->Prepare(*node, calls, &node->plan)) return Fail(*found);
        if (const auto found = contest_->TakeTurns(*node, calls, node->plan, Turns::kFresh)) return Fail(*found);
        if (!node->wrong.empty()) return Fail({"results", node->wrong, node->sample.text});
      }
    }
    const int64_t end = NowNs() + static_cast<int64_t>(options_.measure_ms) * 1'000'000;
    const auto enough = [&] {
      return NowNs() >= end && std::ranges::all_of(nodes_, [](const JudgedNode& node) {
               return !node.sample.is_measured() || node.ratios.size() >= kLeastPairs;
             });
    };
    for (size_t round = 0; !enough() && round < 10'000; ++round) {
      const std::vector<JudgedNode*> order = InRandomOrder(true);
      if (order.empty()) break;
      for (JudgedNode* const node : order) {
        if (const auto found = contest_->TakeTurns(*node, node->calls, node->plan, Turns::kMeasured))
          return Fail(*found);
      }
    }
    return true;
  }

  void Finish() {
    for (const char* const check : {"errors", "processes", "results", "sizes", "inputs", "late"}) Pass(check);
    const ContestTimes& times = contest_->times();
    if (times.wall > 0) {
      judged_.late_share = times.late / times.wall;
      judged_.processors = times.cpu / times.wall;
      judged_.reference_processors = times.reference_cpu / times.reference_wall;
    }
    FinishAccuracy();
    FinishSizes();
    FinishThreads();
  }

  void FinishAccuracy() {
    CheckResult& result = Find("accuracy");
    struct Spreads {
      ErrorSpread candidate, reference;
    };
    std::map<DType, Spreads> few;  // of all nodes of a type that are too small to be judged alone
    for (JudgedNode& node : nodes_) {
      if (node.candidate_errors.errors.size() >= kEnoughErrors) {
        FinishAccuracyOf(node.candidate_errors, node.reference_errors, node.sample.text);
        continue;
      }
      Spreads& spreads = few[node.sample.narrow];
      std::ranges::copy(node.candidate_errors.errors, std::back_inserter(spreads.candidate.errors));
      std::ranges::copy(node.reference_errors.errors, std::back_inserter(spreads.reference.errors));
    }
    for (auto& [dtype, spreads] : few)
      FinishAccuracyOf(spreads.candidate, spreads.reference, fmt::format("all small nodes of {}", DTypeName(dtype)));
    if (result.status == CheckStatus::kSkipped)
      result.message = "the reference has no kernel in higher precision for these types";
  }

  void FinishAccuracyOf(ErrorSpread& mine, ErrorSpread& theirs, const std::string& of) {
    if (mine.errors.empty()) return;
    if (Find("accuracy").status != CheckStatus::kFailed) Pass("accuracy");
    judged_.candidate_error = std::max(judged_.candidate_error, mine.At(0.99));
    judged_.reference_error = std::max(judged_.reference_error, theirs.At(0.99));
    const std::string message = DescribeErrors(mine, theirs, static_cast<double>(options_.accuracy));
    if (!message.empty() && Find("accuracy").status != CheckStatus::kFailed) Fail("accuracy", message, of);
  }

  void FinishSizes() {
    bool any = false;
    std::vector<double> low, high, medians;
    CheckResult& limits = Find("limits");
    for (JudgedNode& node : nodes_) {
      if (node.ratios.empty()) continue;
      any = true;
      JudgedSize& size = judged_.sizes.emplace_back();
      size.text = node.sample.text;
      size.stated = node.sample.origin == Sample::Origin::kStated;
      size.calls = node.calls;
      const Summary candidate = Summarize(node.candidate);
      size.candidate_ns = candidate.median;
      size.reference_ns = Summarize(node.reference).median;
      size.ratio = Summarize(node.ratios);
      size.least_ns = LeastNs(node);
      low.push_back(std::log(size.ratio.noise.low));
      high.push_back(std::log(size.ratio.noise.high));
      medians.push_back(std::log(size.ratio.median));
      if (candidate.median < size.least_ns) {
        Fail("limits",
             fmt::format("a call took {}, less than the {} that this machine needs {}", DurationText(candidate.median),
                         DurationText(size.least_ns),
                         options_.request.flops != 0 && size.stated ? "for its operations" : "to write its outputs"),
             node.sample.text);
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
  double LeastNs(const JudgedNode& node) {
    constexpr double kShare = 0.75;
    size_t bytes = 0;
    for (const TensorType& type : node.sample.reference.outputs) bytes += type.bytes();
    double least = FillNs(bytes * node.calls, pool_) / node.calls;
    if (options_.request.flops != 0 && node.sample.origin == Sample::Origin::kStated) {
      const bool wide = node.sample.reference.outputs[0].dtype == DType::kFloat64;
      least = std::max(least, static_cast<double>(options_.request.flops) / PeakFlops(wide, pool_) * 1e9);
    }
    return kShare * least;
  }

  void FinishThreads() {
    constexpr double kMostLate = 0.05, kSlack = 0.15;
    if (contest_->times().wall == 0) {
      Find("threads").message = "nothing was measured";
      return;
    }
    Pass("threads");
    if (judged_.late_share > kMostLate) {
      Fail("late",
           fmt::format("its threads went on working after the calls had returned: {} of the time",
                       ShareText(judged_.late_share)),
           "");
    }
    if (judged_.processors > Threads() + kSlack) {
      Fail("threads",
           fmt::format("it used {:.2f} processors, though {} allowed: it has threads of its own", judged_.processors,
                       Threads() == 1 ? "1 thread is" : fmt::format("{} threads are", Threads())),
           "");
    }
  }

  const Sides& sides_;
  const JudgeOptions& options_;
  Draws draws_;
  SampleMaker maker_;
  ThreadPool pool_;
  Judged judged_;
  std::string reason_;
  std::deque<JudgedNode> nodes_;
  std::optional<Contest> contest_;
};

constexpr JudgeCheck kJudgeChecks[] = {
    {"spec", "Is the op the same as the reference's: inputs, outputs, attrs?"},
    {"errors", "Does it compute whatever the reference computes, without failing?"},
    {"processes", "Does all of its work happen in the process that is measured?"},
    {"results", "Is each result of each call right, for values that it has never seen?"},
    {"sizes", "Are results also right for sizes and types that nobody asked for?"},
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
