// host/cli/measure/profile.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/measure/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/base/display_text.h"
#include "host/base/number_text.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostProfileRows = 15;

struct ProfileRow {
  std::string name, op;
  ProfileSums::StepSum sum;
};

void SortByTime(std::vector<ProfileRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ProfileRow& a, const ProfileRow& b) { return a.sum.ns > b.sum.ns; });
}

std::vector<ProfileRow> NodeRows(const ProfileSums& sums, const std::vector<NodeFacts>& facts) {
  std::vector<ProfileRow> rows;
  for (size_t s = 0; s < sums.steps.size(); ++s) rows.push_back({facts[s].name, facts[s].QualifiedOp(), sums.steps[s]});
  SortByTime(rows);
  return rows;
}

std::vector<ProfileRow> OpRows(const std::vector<ProfileRow>& nodes) {
  std::map<std::string, ProfileSums::StepSum> sums;
  for (const ProfileRow& node : nodes) {
    sums[node.op].calls += node.sum.calls;
    sums[node.op].ns += node.sum.ns;
  }
  std::vector<ProfileRow> rows;
  for (const auto& [op, sum] : sums) rows.push_back({op, "", sum});
  SortByTime(rows);
  return rows;
}

// Merges the rows after the first ones into one.
void Fold(std::vector<ProfileRow>& rows) {
  if (rows.size() <= kMostProfileRows + 1) return;
  ProfileRow rest{fmt::format("{} more", rows.size() - kMostProfileRows), "", {}};
  for (size_t i = kMostProfileRows; i < rows.size(); ++i) {
    rest.sum.calls += rows[i].sum.calls;
    rest.sum.ns += rows[i].sum.ns;
  }
  rows.resize(kMostProfileRows);
  rows.push_back(std::move(rest));
}

std::string TableText(std::vector<ProfileRow> rows, const std::string& title, bool with_op, int64_t kernel_ns) {
  using enum TextTable::Align;
  std::vector<TextTable::Column> columns = {{title, kLeft}, {"calls"}, {"total"}, {"mean"}, {"share"}};
  if (with_op) columns.insert(columns.begin() + 1, {"op", kLeft});
  TextTable table(std::move(columns));
  Fold(rows);
  for (const ProfileRow& row : rows) {
    const auto ns = static_cast<double>(row.sum.ns);
    std::vector<std::string> cells = {row.name, CountText(static_cast<double>(row.sum.calls)), DurationText(ns),
                                      DurationText(ns / static_cast<double>(std::max<uint64_t>(row.sum.calls, 1))),
                                      ShareText(kernel_ns == 0 ? 0 : ns / static_cast<double>(kernel_ns))};
    if (with_op) cells.insert(cells.begin() + 1, row.op);
    table.Add(std::move(cells));
  }
  return table.Text();
}

std::string HostText(const ProfileSums& sums, double clock_ns) {
  const auto run = static_cast<double>(sums.run_ns), kernels = static_cast<double>(sums.kernel_ns);
  std::string text = fmt::format("kernels  {}\n", DurationText(kernels));
  if (sums.one_thread) {
    text += fmt::format("host     {}, {} of the time in runs\n", DurationText(run - kernels),
                        ShareText(run > 0 ? (run - kernels) / run : 0));
  } else {
    text += fmt::format("threads  {:.2f} in kernels on average; the host's own time shows with --threads 1\n",
                        run > 0 ? kernels / run : 0);
  }
  return text + fmt::format("clock    about {} of each call, and as much of the host's time\n", DurationText(clock_ns));
}

}  // namespace

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
  const std::vector<ProfileRow> nodes = NodeRows(sums, facts);
  return fmt::format("profile of {}, {} in them\n\n{}\n{}\n{}", Several(sums.runs, "run"),
                     DurationText(static_cast<double>(sums.run_ns)), TableText(nodes, "node", true, sums.kernel_ns),
                     TableText(OpRows(nodes), "op", false, sums.kernel_ns), HostText(sums, clock_ns));
}

namespace {

bool IsShapeKnown(const PlanValue& value) {
  return value.rank_known && std::find(value.shape.begin(), value.shape.end(), -1) == value.shape.end();
}

std::string TextOf(const PlanValue& value) {
  return DTypeName(value.dtype) + " " + (IsShapeKnown(value) ? ShapeText(value.shape) : "[...]");
}

std::optional<uint64_t> ValueBytes(const PlanValue& value) {
  if (!IsShapeKnown(value)) return std::nullopt;
  const std::optional<int64_t> elements = NumElements(value.shape);
  if (!elements) return std::nullopt;
  return static_cast<uint64_t>(*elements) * DTypeSize(value.dtype);
}

void AddValue(const PlanValue& value, std::vector<std::string>& texts, std::optional<uint64_t>& bytes) {
  texts.push_back(TextOf(value));
  const std::optional<uint64_t> more = ValueBytes(value);
  bytes = bytes && more ? std::optional(*bytes + *more) : std::nullopt;
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

}  // namespace opsrun::host
