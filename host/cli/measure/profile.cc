// host/cli/measure/profile.cc:
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "host/base/display_text.h"
#include "host/cli/measure/measure.h"
#include "host/show/plan_facts.h"

namespace opsrun::host {
namespace {

constexpr int64_t kLongestWarmUp = 100'000'000;
// Two readings of the clock are then less than 1% of a batch.
constexpr double kShortestBatch = 10'000;
// Limits the memory for samples, however long the measurement.
constexpr double kMostSamples = 200'000;

uint32_t BatchFor(double run_ns, int64_t max_ns) {
  const double wanted = std::max(kShortestBatch, static_cast<double>(max_ns) / kMostSamples);
  return static_cast<uint32_t>(std::clamp(std::ceil(wanted / std::max(run_ns, 1.0)), 1.0, 1e6));
}

constexpr double kNear = 0.01;
constexpr size_t kLeastSamples = 20;

double MedianOf(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

constexpr size_t kMostRows = 15;

bool IsShapeKnown(const PlanValue& value) {
  return value.rank_known && std::find(value.shape().begin(), value.shape().end(), -1) == value.shape().end();
}

void AddValue(const PlanValue& value, std::vector<std::string>& texts, std::optional<uint64_t>& bytes) {
  const bool known = IsShapeKnown(value);
  const std::optional<int64_t> elements = known ? NumElements(value.shape()) : std::nullopt;
  texts.push_back(DTypeName(value.dtype) + " " + (known ? ShapeText(value.shape()) : "[...]"));
  const bool all_known = bytes && elements;
  bytes = all_known ? std::optional(*bytes + static_cast<uint64_t>(*elements) * DTypeSize(value.dtype)) : std::nullopt;
}

void AddRow(const TimeRow& row, TimeRow& sum) {
  sum.calls += row.calls;
  sum.ns += row.ns;
  sum.noise.low += row.noise.low;
  sum.noise.high += row.noise.high;
  sum.bytes = sum.bytes && row.bytes ? std::optional(*sum.bytes + *row.bytes) : std::nullopt;
}

// Merges the rows after the first ones into one.
std::vector<TimeRow> Folded(const std::vector<TimeRow>& rows) {
  if (rows.size() <= kMostRows + 1) return rows;
  std::vector<TimeRow> shown(rows.begin(), rows.begin() + kMostRows);
  TimeRow rest{fmt::format("{} more", rows.size() - kMostRows), "", 0, 0, {}, 0.0};
  for (size_t i = kMostRows; i < rows.size(); ++i) AddRow(rows[i], rest);
  shown.push_back(std::move(rest));
  return shown;
}

struct ColumnDef {
  TextTable::Column title;
  std::string (*cell)(const TimeRow& row, double all);  // all: the time of all rows
};

std::string TimeCell(const TimeRow& row, double) {
  return DurationText(row.ns);
}

// By TimeColumn.
const ColumnDef kColumns[] = {
    {{"node", TextTable::Align::kLeft}, [](const TimeRow& row, double) { return row.name; }},
    {{"op", TextTable::Align::kLeft}, [](const TimeRow& row, double) { return row.name; }},
    {{"op", TextTable::Align::kLeft}, [](const TimeRow& row, double) { return row.op; }},
    {{"calls"}, [](const TimeRow& row, double) { return CountText(static_cast<double>(row.calls)); }},
    {{"median"}, TimeCell},
    {{"total"}, TimeCell},
    {{"mean"},
     [](const TimeRow& row, double) {
       return DurationText(row.ns / static_cast<double>(std::max<uint64_t>(row.calls, 1)));
     }},
    {{"share"}, [](const TimeRow& row, double all) { return ShareText(all > 0 ? row.ns / all : 0); }},
    {{"bandwidth"}, [](const TimeRow& row, double) { return row.Bandwidth() ? BandwidthText(*row.Bandwidth()) : "-"; }},
};

std::string HostText(const ProfileSums& sums, double clock_ns) {
  const auto run = static_cast<double>(sums.run_ns), kernels = static_cast<double>(sums.kernel_ns);
  std::string text = fmt::format("kernels  {}\n", DurationText(kernels));
  if (sums.one_thread) {
    text += fmt::format("host     {}, {} of the time in runs\n", DurationText(run - kernels),
                        ShareText(run > 0 ? (run - kernels) / run : 0));
  } else {
    text += fmt::format("threads  {:.2f} in kernels on average; for the host's own time, use --threads 1\n",
                        run > 0 ? kernels / run : 0);
  }
  return text + fmt::format("clock    reading it adds about {} to each call and as much to the host's time\n",
                            DurationText(clock_ns));
}

}  // namespace

std::optional<double> WarmUp(const RunBatch& run, int64_t max_ns, const ReadClock& now) {
  const int64_t end = now() + std::min(max_ns / 10, kLongestWarmUp);
  constexpr uint32_t kMostAtOnce = 1 << 16;
  for (uint32_t runs = 1;; runs = std::min(runs * 2, kMostAtOnce)) {
    const int64_t begin = now();
    if (!run(runs)) return std::nullopt;
    const int64_t then = now();
    if (then >= end) return static_cast<double>(then - begin) / runs;
  }
}

// Checks for stability only after each 25% more samples, since that sorts them.
std::optional<Sampling> TakeSamples(const RunBatch& run, double run_ns, int64_t max_ns, const ReadClock& now) {
  Sampling taken;
  taken.batch = BatchFor(run_ns, max_ns);
  const int64_t first = now();
  size_t look_at = 20;
  for (int64_t begin = first; begin - first < max_ns && !taken.stable;) {
    if (!run(taken.batch)) return std::nullopt;
    const int64_t end = now();
    taken.samples.push_back(static_cast<double>(end - begin) / taken.batch);
    taken.ns = end - first;
    begin = end;
    if (taken.samples.size() < look_at || taken.ns < max_ns / 10) continue;
    taken.stable = IsStable(taken.samples);
    look_at = taken.samples.size() * 5 / 4;
    begin = now();
  }
  return taken;
}

double Quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// The number of samples below the true median is binomial; 1.96 standard deviations cover 95%.
Interval MedianInterval(const std::vector<double>& sorted) {
  if (sorted.size() < 6) return {sorted.front(), sorted.back()};
  const auto n = static_cast<double>(sorted.size());
  const double half = 1.96 * std::sqrt(n) / 2;
  const auto low = static_cast<size_t>(std::max(0.0, std::floor(n / 2 - half) - 1));
  const auto high = static_cast<size_t>(std::min(n - 1, std::ceil(n / 2 + half)));
  return {sorted[low], sorted[high]};
}

Summary Summarize(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {samples.size(),          samples.front(), Quantile(samples, 0.5), Quantile(samples, 0.9),
          Quantile(samples, 0.99), samples.back(),  MedianInterval(samples)};
}

bool IsStable(const std::vector<double>& samples) {
  if (samples.size() < kLeastSamples) return false;
  const Summary all = Summarize(samples);
  const double most = kNear * all.median;
  if (all.noise.high - all.median > most || all.median - all.noise.low > most) return false;
  const auto middle = samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2);
  return std::abs(MedianOf({samples.begin(), middle}) - MedianOf({middle, samples.end()})) <= most;
}

std::vector<NodeFacts> FactsOf(const Plan& plan) {
  std::vector<NodeFacts> all;
  all.reserve(TimedSteps(plan));
  const auto add = [&](const Step& step) {
    NodeFacts facts{std::string(plan.NodeName(step)), FusedOps(step), step.op()->plugin->name, {}, {}, 0, ""};
    if (plan.devices.size() > 1) facts.device = plan.devices[step.device].name;
    for (const uint32_t value : step.inputs) AddValue(plan.values[value], facts.inputs, facts.bytes);
    for (const uint32_t value : step.outputs) AddValue(plan.values[value], facts.outputs, facts.bytes);
    all.push_back(std::move(facts));
  };
  for (const Step& step : plan.steps) {
    add(step);
    if (step.more->part == nullptr) continue;
    NodeFacts& facts = all.back();
    facts.name = RoundTripName(plan, step);
    facts.op = kRoundTrip;
    facts.bytes.reset();
  }
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    if (plan.steps[s].more->part == nullptr) continue;
    for (const Step& member : plan.steps[s].more->part->members) {
      add(member);
      all.back().of_step = s;
    }
  }
  return all;
}

std::vector<TimeRow> OpRows(const std::vector<TimeRow>& nodes) {
  std::map<std::string, TimeRow> ops;
  for (const TimeRow& node : nodes)
    AddRow(node, ops.try_emplace(node.op, TimeRow{node.op, "", 0, 0, {}, 0.0}).first->second);
  std::vector<TimeRow> rows;
  for (auto& [name, op] : ops) rows.push_back(std::move(op));
  return rows;
}

void SortByTime(std::vector<TimeRow>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater(), &TimeRow::ns);
}

double KernelTime(const std::vector<TimeRow>& rows) {
  double sum = 0;
  for (const TimeRow& row : rows) sum += row.ns;
  return sum;
}

std::string TimeTable(const std::vector<TimeRow>& rows, std::span<const TimeColumn> columns) {
  std::vector<TextTable::Column> titles;
  for (const TimeColumn column : columns) titles.push_back(kColumns[static_cast<size_t>(column)].title);
  TextTable table(std::move(titles));
  const double all = KernelTime(rows);
  for (const TimeRow& row : Folded(rows)) {
    std::vector<std::string> cells;
    for (const TimeColumn column : columns) cells.push_back(kColumns[static_cast<size_t>(column)].cell(row, all));
    table.Add(std::move(cells));
  }
  return table.Text();
}

void ProfileSums::Add(const std::vector<StepTime>& times, int64_t ns) {
  steps.resize(times.size());
  ++runs;
  run_ns += ns;
  for (size_t s = 0; s < times.size(); ++s) {
    if (times[s].begin == 0) continue;
    const int64_t taken = times[s].own();
    ++steps[s].calls;
    steps[s].ns += taken;
    kernel_ns += taken;
    one_thread = one_thread && times[s].thread == 0;
  }
}

void ProfileSums::Merge(const ProfileSums& other) {
  steps.resize(std::max(steps.size(), other.steps.size()));
  for (size_t s = 0; s < other.steps.size(); ++s) {
    steps[s].calls += other.steps[s].calls;
    steps[s].ns += other.steps[s].ns;
  }
  runs += other.runs;
  run_ns += other.run_ns;
  kernel_ns += other.kernel_ns;
  one_thread = one_thread && other.one_thread;
}

std::string ProfileText(const ProfileSums& sums, const std::vector<NodeFacts>& facts, double clock_ns) {
  using enum TimeColumn;
  std::vector<TimeRow> nodes;
  for (size_t s = 0; s < sums.steps.size(); ++s) {
    const auto [calls, ns] = sums.steps[s];
    nodes.push_back({facts[s].name, facts[s].QualifiedOp(), calls, static_cast<double>(ns), {}, std::nullopt});
  }
  std::vector<TimeRow> ops = OpRows(nodes);
  SortByTime(nodes);
  SortByTime(ops);
  constexpr TimeColumn kOfNodes[] = {kNode, kOp, kCalls, kTotal, kMean, kShare};
  constexpr TimeColumn kOfOps[] = {kNameOfOp, kCalls, kTotal, kMean, kShare};
  return fmt::format("profile of {}, {} in total\n\n{}\n{}\n{}", Several(sums.runs, "run"),
                     DurationText(static_cast<double>(sums.run_ns)), TimeTable(nodes, kOfNodes), TimeTable(ops, kOfOps),
                     HostText(sums, clock_ns));
}

}  // namespace opsrun::host
