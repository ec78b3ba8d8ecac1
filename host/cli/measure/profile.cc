// host/cli/measure/profile.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/measure/profile.h"

#include <fmt/format.h>

#include <map>

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostRows = 15;

bool IsShapeKnown(const PlanValue& value) {
  return value.rank_known && std::find(value.shape.begin(), value.shape.end(), -1) == value.shape.end();
}

void AddValue(const PlanValue& value, std::vector<std::string>& texts, std::optional<uint64_t>& bytes) {
  const bool known = IsShapeKnown(value);
  const std::optional<int64_t> elements = known ? NumElements(value.shape) : std::nullopt;
  texts.push_back(DTypeName(value.dtype) + " " + (known ? ShapeText(value.shape) : "[...]"));
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

std::vector<NodeFacts> FactsOf(const Plan& plan) {
  std::vector<NodeFacts> all;
  all.reserve(plan.steps.size());
  for (const Step& step : plan.steps) {
    NodeFacts facts{plan.NodeOf(step).name.value, step.op->def.name, step.op->plugin->name, {}, {}, 0, ""};
    if (plan.devices.size() > 1) facts.device = plan.devices[step.device].name;
    for (const uint32_t value : step.inputs) AddValue(plan.values[value], facts.inputs, facts.bytes);
    for (const uint32_t value : step.outputs) AddValue(plan.values[value], facts.outputs, facts.bytes);
    all.push_back(std::move(facts));
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
    const int64_t taken = times[s].end - times[s].begin;
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
