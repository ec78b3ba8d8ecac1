// host/cli/measure/measure.h: measures runs: samples of their time, where it is spent by node and by op, traces, and
// the reports of bench. All times are in nanoseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "host/plan/plan.h"
#include "host/run/lane.h"
#include "host/show/plan_facts.h"

namespace opsrun::host {

struct Interval {
  double low = 0;
  double high = 0;
};

struct Summary {
  size_t samples = 0;
  double min = 0, median = 0, p90 = 0, p99 = 0, max = 0;
  Interval noise;  // contains the median with 95 % confidence
};

// Interpolates between the two nearest samples. Requires: sorted, not empty, 0 <= q <= 1.
double Quantile(const std::vector<double>& sorted, double q);

// Uses only the ranks of the samples, so outliers have no effect. Fewer than six samples cannot give 95% confidence;
// the interval then covers all of them. Requires: sorted, not empty.
Interval MedianInterval(const std::vector<double>& sorted);

// All zero if there are no samples.
Summary Summarize(std::vector<double> samples);

// True if measuring may stop: there are at least 20 samples, the interval of the median is within 1% of it, and so is
// the difference between the medians of the first and second halves. samples: in the order of measurement.
bool IsStable(const std::vector<double>& samples);

// Performs that many runs. False: one failed, or sampling must stop.
using RunBatch = std::function<bool(uint32_t runs)>;
// Nanoseconds, monotonic.
using ReadClock = std::function<int64_t()>;

struct Sampling {
  std::vector<double> samples;  // nanoseconds per run, each the mean of a batch, in order
  uint32_t batch = 1;           // runs; more than one if reading the clock around each run would distort the result
  bool stable = false;          // see IsStable; false if the time ran out
  int64_t ns = 0;               // total time of sampling
};

// Times of steps, from runs with the clock read around each kernel.
class StepSamples {
 public:
  explicit StepSamples(size_t steps) : samples_(steps) {}

  // The number of runs to reserve memory for: 4 million step times, 5 to 1000 runs.
  size_t most_runs() const { return std::clamp<size_t>(4'000'000 / (samples_.size() + 1), 5, 1000); }
  size_t runs() const { return runs_; }

  // Requires: every step ran.
  void Add(const std::vector<StepTime>& times) {
    ++runs_;
    for (size_t s = 0; s < times.size(); ++s) samples_[s].push_back(static_cast<double>(times[s].own()));
  }

  Summary Of(size_t step) const { return Summarize(samples_[step]); }

 private:
  size_t runs_ = 0;
  std::vector<std::vector<double>> samples_;
};

// Runs for a tenth of max_ns, at most 100 ms, at least once. Returns nanoseconds per run, measured near the end;
// nothing if `run` returned false.
std::optional<double> WarmUp(const RunBatch& run, int64_t max_ns, const ReadClock& now);

// Samples until the result is stable, at least for a tenth of max_ns, at most for max_ns plus one batch. run_ns: the
// approximate time of a run. Nothing if `run` returned false.
std::optional<Sampling> TakeSamples(const RunBatch& run, double run_ns, int64_t max_ns, const ReadClock& now);

// The clock of all measurements, and the cost of reading it.

// Nanoseconds of the steady clock, as in StepTime.
inline int64_t NowNs() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

inline double MillisecondsSince(int64_t begin_ns) {
  return static_cast<double>(NowNs() - begin_ns) / 1e6;
}

// Nanoseconds from one reading to the next; the minimum of several tries.
inline double ClockCost() {
  constexpr int kReadings = 100, kTries = 50;
  double least = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const int64_t begin = NowNs();
    for (int k = 1; k < kReadings; ++k) NowNs();
    least = std::min(least, static_cast<double>(NowNs() - begin) / kReadings);
  }
  return least;
}

// What reports of measurements show about a step of a plan, or about an isolated node. The step that runs isolated
// nodes is "round trip of" the first one: what asking their process takes.
struct NodeFacts {
  std::string name;
  std::string op;
  std::string plugin;
  std::vector<std::string> inputs, outputs;      // "int32 [2, 3]"; "int32 [...]" if unknown before the run
  std::optional<uint64_t> bytes;                 // of all inputs and outputs; nothing if any is unknown
  std::string device;                            // empty if the plan is for the CPU only
  std::optional<size_t> of_step = std::nullopt;  // of an isolated node: the step that runs it

  std::string QualifiedOp() const { return plugin + "." + op; }
};

// One for each of RunTimes::steps.
std::vector<NodeFacts> FactsOf(const Plan& plan);

// The kernel of a node, or all kernels of an op. Times are in nanoseconds.
struct TimeRow {
  std::string name;    // "z", or "zero_out.ZeroOut"
  std::string op;      // for a node: "zero_out.ZeroOut"
  uint64_t calls = 1;  // per run, or in all runs of a profile
  double ns = 0;       // the median of a run, or the sum of all runs of a profile; for an op: the sum of its nodes
  Interval noise;      // of the median
  std::optional<double> bytes;  // read and written in one run, by shape; nothing if unknown before the run

  // Bytes per second.
  std::optional<double> Bandwidth() const { return bytes && ns > 0 ? std::optional(*bytes / ns * 1e9) : bytes; }
};

// The rows of the nodes' ops. The sums of the bounds of the nodes' intervals give a conservative interval for the op.
std::vector<TimeRow> OpRows(const std::vector<TimeRow>& nodes);

// Slowest first.
void SortByTime(std::vector<TimeRow>& rows);

// The time of all rows, which is 100% for shares.
double KernelTime(const std::vector<TimeRow>& rows);

enum class TimeColumn { kNode, kNameOfOp, kOp, kCalls, kMedian, kTotal, kMean, kShare, kBandwidth };

// The first 15 rows, and one line for the rest.
std::string TimeTable(const std::vector<TimeRow>& rows, std::span<const TimeColumn> columns);

// ---- The profile of many runs.

// The sums of one caller's runs, in nanoseconds. Sums of several callers are merged at the end.
struct ProfileSums {
  struct StepSum {
    uint64_t calls = 0;
    int64_t ns = 0;
  };
  std::vector<StepSum> steps;
  uint64_t runs = 0;
  int64_t run_ns = 0;
  int64_t kernel_ns = 0;
  bool one_thread = true;  // true if each run used one thread

  void Add(const std::vector<StepTime>& times, int64_t ns);
  void Merge(const ProfileSums& other);
};

// A table of nodes and one of ops; then the host's own time, if each run used one thread. clock_ns: what reading the
// clock adds to each call and to the host.
std::string ProfileText(const ProfileSums& sums, const std::vector<NodeFacts>& facts, double clock_ns);

// One run: its time, its lane, its steps.
struct TracedRun {
  int64_t begin = 0;  // nanoseconds, as in StepTime; 0: it did not start
  int64_t end = 0;
  uint32_t lane = 0;
  bool failed = false;
  RunTimes times;
};

// Records the first runs: at least one, and as many as have 200,000 steps together. Several threads may write, each to
// its own runs.
class TraceLog {
 public:
  TraceLog(size_t steps, uint32_t runs)
      : all_(runs), runs_(std::clamp<size_t>(kMostEvents / (steps + 1), 1, std::max<uint32_t>(runs, 1))) {}

  bool Keeps(uint32_t run) const { return run < runs_.size(); }
  TracedRun& At(uint32_t run) { return runs_[run]; }
  const std::vector<TracedRun>& runs() const { return runs_; }
  uint32_t all() const { return all_; }

 private:
  static constexpr size_t kMostEvents = 200'000;
  uint32_t all_;
  std::vector<TracedRun> runs_;
};

// Receives the text in pieces; an error ends the writing.
using TraceSink = std::function<Status(std::string_view)>;

// One process, named `title`; a track for each lane and thread; an event for each run, for each step that ran, with op,
// plugin, shapes and run number, and for each part that a kernel reported. Times start at the first run.
Status WriteTrace(const TraceLog& log, const std::vector<NodeFacts>& facts, const std::string& title,
                  const TraceSink& sink);

// Requests that several callers sent at once, each its next one when the last one was done.
struct LoadRow {
  uint32_t concurrency = 1;  // callers
  uint64_t requests = 0;
  double per_second = 0;
  Summary latency;
};

// The requests of one caller. Keeps at most kMostSamples of their times, evenly, and the longest one.
class Requests {
 public:
  static constexpr size_t kMostSamples = 200'000;

  void Add(int64_t begin, int64_t end);
  uint64_t count() const { return count_; }

  // Of all callers. The rate is that from the first begin to the last end. Callers without requests are ignored.
  static LoadRow Merge(const std::vector<Requests>& callers);

 private:
  std::vector<double> samples_;  // of each `every_`-th request
  uint64_t count_ = 0, every_ = 1;
  int64_t begin_ = 0, end_ = 0;
  double max_ = 0;
};

struct BenchReport {
  std::string graph, version, cpu;
  uint32_t threads = 1;
  uint64_t memory_bytes = 0;  // of the lane

  Summary run;  // of batches, if they consist of several runs
  uint64_t batch = 1;
  bool stable = false;
  double measured_ns = 0;

  // From separate runs that time each kernel, which adds clock_ns per kernel.
  uint64_t timed_runs = 0;
  double clock_ns = 0;
  std::vector<TimeRow> nodes, ops;  // slowest first
  uint64_t temporary_bytes = 0;     // that kernels took in one of these runs; not in the document
  // Of each step of the plan, in order, with its isolated nodes, and of these alone. Not in the document.
  std::vector<double> step_ns, isolated_ns;
  std::vector<LoadRow> load;  // empty if not requested; by concurrency

  double RunsPerSecond() const { return run.median > 0 ? 1e9 / run.median : 0; }
  double NsPerNode() const {
    const auto count = std::ranges::count_if(nodes, [](const TimeRow& row) { return !row.op.ends_with(kRoundTrip); });
    return count == 0 ? 0 : run.median / static_cast<double>(count);
  }
};

// Extracted from the text of /proc/cpuinfo; "unknown CPU" without a "model name", as on ARM.
std::string CpuModel(std::string_view cpuinfo);

// Fills in timed_runs, nodes, ops and step_ns.
void AddRows(const StepSamples& samples, const std::vector<NodeFacts>& facts, BenchReport& report);

// A bench report as a JSON document, and back.
//
// {"opsrun_bench": 1, "graph": "g.yaml", ..., "run": {"samples": 900, ...}, "timed": {"runs": 1000, "clock_ns": 21},
// "nodes": [{"name": "z", "op": "zero_out.ZeroOut", ...}], "ops": [the same, without "op"], "load": [{"concurrency": 1,
// ...}]}: bench_report.cc lists the fields; load is missing if it was not measured. bytes and bytes_per_second are null
// if shapes are unknown before the run.

std::string BenchJson(const BenchReport& report);

// INVALID_ARGUMENT, with the name of the field, if the document is invalid. Derived and unknown fields are ignored. The
// strings are untrusted.
Result<BenchReport> ReadBenchJson(const std::string& text);

// ---- The report for people.

// The numbers of a run, a table of nodes and one of ops: the 15 slowest of each, and one line for the rest; then the
// load, if it was measured.
std::string BenchText(const BenchReport& report);

// Old, new and new / old for the whole run, and for the load that both have measured; then the nodes and ops that
// changed, at most 15 of each. A change must exceed the noise: the intervals of the medians do not overlap, and the
// medians differ by more than 10% and by more than 0.5% of all kernels together, because memory layout alone causes
// such differences between processes. For the whole run, the threshold is 5%. Names are taken from `now`, never from
// the untrusted report.
std::string ChangesText(const BenchReport& old, const BenchReport& now);

// A line for the whole run, "time  1.20 us, was 1.50 us: faster by 20.0 %", and a table of the nodes that changed.
// Empty: nothing changed by more than the noise.
std::string ChangedTimesText(const BenchReport& old, const BenchReport& now);

// Reasons to doubt the comparison: another CPU, number of threads, graph or version, or unstable numbers. One sentence
// each; untrusted strings are not escaped.
std::vector<std::string> Doubts(const BenchReport& old, const BenchReport& now);

}  // namespace opsrun::host
