// host/measure/bench_report.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/measure/bench_report.h"

#include <algorithm>
#include <map>

namespace opsrun::host {
namespace {

void SortByTime(std::vector<BenchRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const BenchRow& a, const BenchRow& b) { return a.median > b.median; });
}

// Adding up the ends of the nodes' intervals makes one that is rather too wide than too narrow.
std::vector<BenchRow> OpRows(const std::vector<BenchRow>& nodes) {
  std::map<std::string, BenchRow> ops;
  for (const BenchRow& node : nodes) {
    BenchRow& op = ops.try_emplace(node.op, BenchRow{node.op, "", 0, 0, {}, 0.0}).first->second;
    op.calls += node.calls;
    op.median += node.median;
    op.noise.low += node.noise.low;
    op.noise.high += node.noise.high;
    op.bytes = op.bytes && node.bytes ? std::optional(*op.bytes + *node.bytes) : std::nullopt;
  }
  std::vector<BenchRow> rows;
  for (auto& [name, op] : ops) rows.push_back(std::move(op));
  return rows;
}

}  // namespace

std::string CpuModel(std::string_view cpuinfo) {
  constexpr std::string_view kKey = "model name";
  const size_t line = cpuinfo.starts_with(kKey) ? 0 : cpuinfo.find("\nmodel name");
  const size_t colon = line == std::string_view::npos ? line : cpuinfo.find(": ", line + kKey.size());
  if (colon == std::string_view::npos) return "unknown CPU";
  const std::string_view rest = cpuinfo.substr(colon + 2);
  return std::string(rest.substr(0, rest.find('\n')));
}

void AddRows(const StepSamples& samples, const std::vector<NodeFacts>& facts, BenchReport& report) {
  report.timed_runs = samples.runs();
  for (size_t s = 0; s < facts.size(); ++s) {
    const Summary summary = samples.Of(s);
    const auto bytes = facts[s].bytes ? std::optional(static_cast<double>(*facts[s].bytes)) : std::nullopt;
    report.nodes.push_back({facts[s].name, facts[s].QualifiedOp(), 1, summary.median, summary.noise, bytes});
  }
  report.ops = OpRows(report.nodes);
  SortByTime(report.nodes);
  SortByTime(report.ops);
}

double KernelTime(const std::vector<BenchRow>& rows) {
  double sum = 0;
  for (const BenchRow& row : rows) sum += row.median;
  return sum;
}

}  // namespace opsrun::host
