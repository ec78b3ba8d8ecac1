// host/cli/measure/bench_report.cc: a bench report as a JSON document and for people.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "host/base/display_text.h"
#include "host/cli/measure/measure.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

constexpr int kFormat = 1;
constexpr double kLargest = 1e18;  // limit for numbers that are read: 30 years in nanoseconds

// The fields that are both written and read, in the order of the document. visit: called with each name and value.
template <typename Report, typename Visit>
void VisitTop(Report& report, Visit visit) {
  visit("graph", report.graph);
  visit("version", report.version);
  visit("cpu", report.cpu);
  visit("threads", report.threads);
  visit("memory_bytes", report.memory_bytes);
}

template <typename Report, typename Visit>
void VisitRun(Report& report, Visit visit) {
  auto& run = report.run;
  visit("samples", run.samples);
  visit("batch", report.batch);
  visit("stable", report.stable);
  visit("measured_ns", report.measured_ns);
  visit("min_ns", run.min);
  visit("median_ns", run.median);
  visit("median_low_ns", run.noise.low);
  visit("median_high_ns", run.noise.high);
  visit("p90_ns", run.p90);
  visit("p99_ns", run.p99);
  visit("max_ns", run.max);
}

template <typename Report, typename Visit>
void VisitTimed(Report& report, Visit visit) {
  visit("runs", report.timed_runs);
  visit("clock_ns", report.clock_ns);
}

// of_node: the row has an op.
template <typename Row, typename Visit>
void VisitRow(Row& row, bool of_node, Visit visit) {
  visit("name", row.name);
  if (of_node) visit("op", row.op);
  visit("calls", row.calls);
  visit("median_ns", row.ns);
  visit("median_low_ns", row.noise.low);
  visit("median_high_ns", row.noise.high);
}

// Adds each field to an object.
auto WriteTo(Json& json) {
  return [&json](const char* name, const auto& value) { json[name] = value; };
}

Json RowsJson(const std::vector<TimeRow>& rows, bool of_nodes) {
  const double all = KernelTime(rows);
  return JsonArray(rows, [&](const TimeRow& row) {
    Json json;
    VisitRow(row, of_nodes, WriteTo(json));
    json["share"] = all > 0 ? row.ns / all : 0;
    json["bytes"] = row.bytes ? Json(*row.bytes) : Json();
    json["bytes_per_second"] = row.bytes ? Json(*row.Bandwidth()) : Json();
    return json;
  });
}

// Reads fields of one object. Remembers the first field that is missing or of the wrong type; later reads return
// defaults.
class ReportFields {
 public:
  ReportFields(const Json& object, std::string where, std::string& mistake)
      : object_(object), where_(std::move(where)), mistake_(mistake) {}

  const Json* Find(const char* name, const char* kind, bool (Json::*is_kind)() const noexcept) {
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    if (found == object_.end()) return Mistake(name, "is missing");
    if (!((*found).*is_kind)()) return Mistake(name, fmt::format("must be a {}, found a {}", kind, found->type_name()));
    return &*found;
  }

  void operator()(const char* name, std::string& value) {
    if (const Json* json = Find(name, "string", &Json::is_string)) value = json->get<std::string>();
  }
  void operator()(const char* name, bool& value) {
    if (const Json* json = Find(name, "boolean", &Json::is_boolean)) value = json->get<bool>();
  }
  template <typename Number>
  void operator()(const char* name, Number& value) {
    const Json* json = Find(name, "number", &Json::is_number);
    const double number = json == nullptr ? 0 : json->get<double>();
    const bool possible = number >= 0 && number <= kLargest;
    if (!possible) Mistake(name, fmt::format("is {:g}, which cannot be a measurement", number));
    value =
        possible ? static_cast<Number>(std::min(number, static_cast<double>(std::numeric_limits<Number>::max()))) : 0;
  }
  // Null is nothing.
  void operator()(const char* name, std::optional<double>& value) {
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    if (found != object_.end() && found->is_null()) return value.reset();
    (*this)(name, value.emplace());
  }

 private:
  const Json* Mistake(const char* name, const std::string& what) {
    if (mistake_.empty()) mistake_ = fmt::format("'{}{}' {}", where_, name, what);
    return nullptr;
  }

  const Json& object_;
  const std::string where_;
  std::string& mistake_;
};

std::vector<TimeRow> ReadRows(ReportFields& top, const char* name, bool of_nodes, std::string& mistake) {
  std::vector<TimeRow> rows;
  const Json* list = top.Find(name, "array", &Json::is_array);
  for (size_t i = 0; list != nullptr && i < list->size() && mistake.empty(); ++i) {
    ReportFields fields((*list)[i], fmt::format("{}[{}].", name, i), mistake);
    VisitRow(rows.emplace_back(), of_nodes, fields);
    fields("bytes", rows.back().bytes);
  }
  return rows;
}

using enum TextTable::Align;

std::string HowText(const BenchReport& report) {
  const std::string batches = report.batch == 1 ? "" : fmt::format(" in batches of {}", report.batch);
  const char* sure = report.stable ? "stable: the median is known to within 1%" : "not stable; try --seconds with more";
  return fmt::format("runs     {}{}, {}; {}\n", CountText(static_cast<double>(report.run.samples * report.batch)),
                     batches, DurationText(report.measured_ns), sure);
}

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
  const auto add = [&table](const char* name, double before, double after) {
    table.Add({name, DurationText(before), DurationText(after), RatioText(before, after)});
  };
  add("min", old.run.min, now.run.min);
  add("median", old.run.median, now.run.median);
  add("p90", old.run.p90, now.run.p90);
  add("p99", old.run.p99, now.run.p99);
  add("per node", old.NsPerNode(), now.NsPerNode());
  const auto before = static_cast<double>(old.memory_bytes), after = static_cast<double>(now.memory_bytes);
  table.Add({"memory", BytesText(before), BytesText(after), RatioText(before, after)});
  return table.Text();
}

std::string VerdictText(const Summary& old, const Summary& now) {
  if (old.median <= 0) return "the old median is 0\n";
  if (!Differs(old.median, old.noise, now.median, now.noise, kLeastOfWhole * old.median))
    return "no change beyond the noise\n";
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

std::string BenchJson(const BenchReport& report) {
  Json document = {{"opsrun_bench", kFormat}}, run, timed;
  VisitTop(report, WriteTo(document));
  VisitRun(report, WriteTo(run));
  run["runs_per_second"] = report.RunsPerSecond();
  run["ns_per_node"] = report.NsPerNode();
  VisitTimed(report, WriteTo(timed));
  document.update(
      {{"run", run}, {"timed", timed}, {"nodes", RowsJson(report.nodes, true)}, {"ops", RowsJson(report.ops, false)}});
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<BenchReport> ReadBenchJson(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return InvalidArgument("it is not JSON");
  if (!document.is_object()) {
    return InvalidArgument(fmt::format("it is a JSON {}, not an object", document.type_name()));
  }
  BenchReport report;
  std::string mistake;
  ReportFields top(document, "", mistake);
  double format = 0;
  top("opsrun_bench", format);
  if (mistake.empty() && format != kFormat) {
    mistake = fmt::format("'opsrun_bench' is {:g}; this opsrun reads {}", format, kFormat);
  }
  VisitTop(report, top);
  if (const Json* run = top.Find("run", "object", &Json::is_object))
    VisitRun(report, ReportFields(*run, "run.", mistake));
  if (const Json* timed = top.Find("timed", "object", &Json::is_object)) {
    VisitTimed(report, ReportFields(*timed, "timed.", mistake));
  }
  report.nodes = ReadRows(top, "nodes", true, mistake);
  report.ops = ReadRows(top, "ops", false, mistake);
  if (!mistake.empty()) return InvalidArgument(mistake);
  return report;
}

std::string BenchText(const BenchReport& report) {
  using enum TimeColumn;
  constexpr TimeColumn kOfNodes[] = {kNode, kOp, kMedian, kShare, kBandwidth};
  constexpr TimeColumn kOfOps[] = {kNameOfOp, kCalls, kMedian, kShare, kBandwidth};
  const Summary& run = report.run;
  return fmt::format("{}: {}, {}, {}\n", report.graph, Several(report.nodes.size(), "node"),
                     Several(report.threads, "thread"), report.cpu) +
         HowText(report) +
         fmt::format("time     min {}, median {}, p90 {}, p99 {}, max {}{}\n", DurationText(run.min),
                     DurationText(run.median), DurationText(run.p90), DurationText(run.p99), DurationText(run.max),
                     report.batch == 1 ? "" : ", means of batches") +
         fmt::format("rate     {} runs a second, {} a node\n", CountText(report.RunsPerSecond()),
                     DurationText(report.NsPerNode())) +
         fmt::format("memory   {} a lane\n\n", BytesText(static_cast<double>(report.memory_bytes))) +
         fmt::format("kernels, from {} with the clock read around each, which adds about {}\n\n",
                     Several(report.timed_runs, "more run"), DurationText(report.clock_ns)) +
         TimeTable(report.nodes, kOfNodes) + "\n" + TimeTable(report.ops, kOfOps);
}

std::string ChangesText(const BenchReport& old, const BenchReport& now) {
  return WholeText(old, now) + VerdictText(old.run, now.run) + RowsText("node", old.nodes, now.nodes) +
         RowsText("op", old.ops, now.ops);
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
