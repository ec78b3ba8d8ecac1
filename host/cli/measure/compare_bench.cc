// host/cli/measure/compare_bench.cc: what changed between two bench reports.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "host/base/display_text.h"
#include "host/cli/measure/measure.h"

namespace opsrun::host {
namespace {

using enum TextTable::Align;

constexpr double kLeastOfWhole = 0.05;
constexpr double kLeastOfRow = 0.1;
constexpr double kLeastOfKernels = 0.005;
constexpr size_t kMostChanges = 15;

std::string RatioText(double old, double now) {
  return old > 0 ? fmt::format("{:.3f}", now / old) : "-";
}

bool Differs(double old, const Interval& old_noise, double now, const Interval& now_noise, double least) {
  const bool apart = now_noise.low > old_noise.high || now_noise.high < old_noise.low;
  const double by = std::abs(now - old);
  return apart && by > least;
}

std::string WholeText(const BenchReport& old, const BenchReport& now) {
  TextTable table({{"a run", kLeft}, {"old"}, {"new"}, {"ratio"}});
  const auto add = [&table](const std::string& name, double before, double after) {
    table.Add({name, DurationText(before), DurationText(after), RatioText(before, after)});
  };
  add("min", old.run.min, now.run.min);
  add("median", old.run.median, now.run.median);
  add("p90", old.run.p90, now.run.p90);
  add("p99", old.run.p99, now.run.p99);
  add("per node", old.NsPerNode(), now.NsPerNode());
  const auto before = static_cast<double>(old.memory_bytes), after = static_cast<double>(now.memory_bytes);
  table.Add({"memory", BytesText(before), BytesText(after), RatioText(before, after)});
  for (const LoadRow& row : now.load) {
    const auto same = std::ranges::find(old.load, row.concurrency, &LoadRow::concurrency);
    if (same == old.load.end()) continue;
    table.Add({fmt::format("rate, {} at a time", row.concurrency), CountText(same->per_second),
               CountText(row.per_second), RatioText(same->per_second, row.per_second)});
    add(fmt::format("p99, {} at a time", row.concurrency), same->latency.p99, row.latency.p99);
  }
  return table.Text();
}

bool RunDiffers(const Summary& old, const Summary& now) {
  return Differs(old.median, old.noise, now.median, now.noise, kLeastOfWhole * old.median);
}

std::string VerdictText(const Summary& old, const Summary& now) {
  if (old.median <= 0) return "the old median is 0\n";
  if (!RunDiffers(old, now)) return "no change beyond the noise\n";
  return fmt::format("{} by {}\n", now.median < old.median ? "faster" : "slower",
                     ShareText(std::abs(now.median - old.median) / old.median));
}

struct Pair {
  const TimeRow* old;
  const TimeRow* now;
  double By() const { return std::abs(now->ns - old->ns); }
};

// Rows are paired by name; a node with another op is not the same.
struct Pairs {
  std::vector<Pair> both;
  size_t only_old = 0, only_new = 0;
};

Pairs PairUp(const std::vector<TimeRow>& old, const std::vector<TimeRow>& now) {
  std::map<std::pair<std::string, std::string>, const TimeRow*> by_name;
  for (const TimeRow& row : old) by_name[{row.name, row.op}] = &row;
  Pairs pairs;
  pairs.only_old = by_name.size();
  for (const TimeRow& row : now) {
    const auto found = by_name.find({row.name, row.op});
    if (found == by_name.end()) {
      ++pairs.only_new;
      continue;
    }
    pairs.both.push_back({found->second, &row});
    --pairs.only_old;
  }
  return pairs;
}

std::vector<Pair> Changed(const std::vector<Pair>& all, double kernels) {
  std::vector<Pair> changed;
  for (const Pair& pair : all) {
    if (Differs(pair.old->ns, pair.old->noise, pair.now->ns, pair.now->noise,
                std::max(kLeastOfRow * pair.old->ns, kLeastOfKernels * kernels))) {
      changed.push_back(pair);
    }
  }
  std::stable_sort(changed.begin(), changed.end(), [](const Pair& a, const Pair& b) { return a.By() > b.By(); });
  return changed;
}

std::string RowsText(const std::string& what, const std::vector<TimeRow>& old, const std::vector<TimeRow>& now) {
  const Pairs pairs = PairUp(old, now);
  std::vector<Pair> changed = Changed(pairs.both, KernelTime(now));
  std::string text =
      fmt::format("\n{} of {} changed by more than the noise", changed.size(), Several(pairs.both.size(), what));
  if (pairs.only_old > 0) text += fmt::format(", {} only in the old", pairs.only_old);
  if (pairs.only_new > 0) text += fmt::format(", {} only in the new", pairs.only_new);
  text += '\n';
  if (changed.empty()) return text;
  TextTable table({{what, kLeft}, {"old"}, {"new"}, {"ratio"}});
  const size_t shown = std::min(changed.size(), kMostChanges);
  for (size_t i = 0; i < shown; ++i) {
    const auto& [before, after] = changed[i];
    table.Add({after->name, DurationText(before->ns), DurationText(after->ns), RatioText(before->ns, after->ns)});
  }
  if (shown < changed.size()) table.Add({fmt::format("{} more", changed.size() - shown)});
  return text + table.Text();
}

}  // namespace

std::string ChangesText(const BenchReport& old, const BenchReport& now) {
  return WholeText(old, now) + VerdictText(old.run, now.run) + RowsText("node", old.nodes, now.nodes) +
         RowsText("op", old.ops, now.ops);
}

std::string ChangedTimesText(const BenchReport& old, const BenchReport& now) {
  const bool nodes = now.nodes.size() > 1 && !Changed(PairUp(old.nodes, now.nodes).both, KernelTime(now.nodes)).empty();
  if (!nodes && !RunDiffers(old.run, now.run)) return "";
  return fmt::format("time  {}, was {}: {}", DurationText(now.run.median), DurationText(old.run.median),
                     VerdictText(old.run, now.run)) +
         (nodes ? RowsText("node", old.nodes, now.nodes) : "");
}

std::vector<std::string> Doubts(const BenchReport& old, const BenchReport& now) {
  std::vector<std::string> doubts;
  const auto differ = [&doubts](const char* what, const std::string& before, const std::string& after) {
    if (before != after)
      doubts.push_back(fmt::format("the old results are for {} {}, the new ones for {}", what, before, after));
  };
  differ("graph", old.graph, now.graph);
  differ("CPU", old.cpu, now.cpu);
  differ("opsrun", old.version, now.version);
  if (old.threads != now.threads) {
    doubts.push_back(fmt::format("the old results are with {}, the new ones with {}", Several(old.threads, "thread"),
                                 Several(now.threads, "thread")));
  }
  if (!old.stable) doubts.push_back("the old results are not stable");
  if (!now.stable) doubts.push_back("the new results are not stable");
  return doubts;
}

}  // namespace opsrun::host
