// host/measure/bench_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/measure/bench_text.h"

#include <fmt/format.h>

#include "host/base/text_table.h"
#include "host/base/units.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostBenchRows = 15;

std::string HowText(const BenchReport& report) {
  const std::string batches = report.batch == 1 ? "" : fmt::format(" in batches of {}", report.batch);
  const char* sure = report.stable ? "stable: the median is sure to 1 %" : "not stable; try --seconds with more";
  return fmt::format("runs     {}{}, {}; {}\n", CountText(static_cast<double>(report.run.samples * report.batch)),
                     batches, DurationText(report.measured_ns), sure);
}

std::string RunText(const BenchReport& report) {
  const Summary& run = report.run;
  return fmt::format("time     min {}, median {}, p90 {}, p99 {}, max {}{}\n", DurationText(run.min),
                     DurationText(run.median), DurationText(run.p90), DurationText(run.p99), DurationText(run.max),
                     report.batch == 1 ? "" : ", means of batches");
}

// The rest as one row.
std::vector<BenchRow> Folded(const std::vector<BenchRow>& rows) {
  if (rows.size() <= kMostBenchRows + 1) return rows;
  std::vector<BenchRow> shown(rows.begin(), rows.begin() + kMostBenchRows);
  BenchRow rest{fmt::format("{} more", rows.size() - kMostBenchRows), "", 0, 0, {}, 0.0};
  for (size_t i = kMostBenchRows; i < rows.size(); ++i) {
    rest.calls += rows[i].calls;
    rest.median += rows[i].median;
    rest.bytes = rest.bytes && rows[i].bytes ? std::optional(*rest.bytes + *rows[i].bytes) : std::nullopt;
  }
  shown.push_back(std::move(rest));
  return shown;
}

// `second` is the column that only one of the tables has.
std::string TableText(const std::vector<BenchRow>& rows, const std::string& title, TextTable::Column second) {
  using enum TextTable::Align;
  const bool of_nodes = second.title == "op";
  TextTable table({{title, kLeft}, std::move(second), {"median"}, {"share"}, {"bandwidth"}});
  const double all = KernelTime(rows);
  for (const BenchRow& row : Folded(rows)) {
    const std::optional<double> bandwidth = row.Bandwidth();
    table.Add({row.name, of_nodes ? row.op : CountText(static_cast<double>(row.calls)), DurationText(row.median),
               ShareText(all > 0 ? row.median / all : 0), bandwidth ? BandwidthText(*bandwidth) : "-"});
  }
  return table.Text();
}

}  // namespace

std::string BenchText(const BenchReport& report) {
  using enum TextTable::Align;
  return fmt::format("{}: {}, {}, {}\n", report.graph, Several(report.nodes.size(), "node"),
                     Several(report.threads, "thread"), report.cpu) +
         HowText(report) + RunText(report) +
         fmt::format("rate     {} runs a second, {} a node\n", CountText(report.RunsPerSecond()),
                     DurationText(report.NsPerNode())) +
         fmt::format("memory   {} a lane\n\n", BytesText(static_cast<double>(report.memory_bytes))) +
         fmt::format("kernels, from {} with the clock read around each, which adds about {}\n\n",
                     Several(report.timed_runs, "more run"), DurationText(report.clock_ns)) +
         TableText(report.nodes, "node", {"op", kLeft}) + "\n" + TableText(report.ops, "op", {"calls"});
}

}  // namespace opsrun::host
