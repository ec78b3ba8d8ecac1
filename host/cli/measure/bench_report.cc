// host/cli/measure/bench_report.cc: a bench report as a JSON document and for people.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

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

template <typename Row, typename Visit>
void VisitLoad(Row& row, Visit visit) {
  visit("concurrency", row.concurrency);
  visit("requests", row.requests);
  visit("requests_per_second", row.per_second);
  visit("min_ns", row.latency.min);
  visit("p50_ns", row.latency.median);
  visit("p90_ns", row.latency.p90);
  visit("p99_ns", row.latency.p99);
  visit("max_ns", row.latency.max);
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

// read: called with each new row and its fields, and the list's name.
template <typename Row, typename Read>
std::vector<Row> ReadList(ReportFields& top, const char* name, std::string& mistake, Read read) {
  std::vector<Row> rows;
  const Json* list = top.Find(name, "array", &Json::is_array);
  for (size_t i = 0; list != nullptr && i < list->size() && mistake.empty(); ++i) {
    ReportFields fields((*list)[i], fmt::format("{}[{}].", name, i), mistake);
    read(rows.emplace_back(), fields);
  }
  return rows;
}

std::vector<TimeRow> ReadRows(ReportFields& top, const char* name, bool of_nodes, std::string& mistake) {
  return ReadList<TimeRow>(top, name, mistake, [&](TimeRow& row, ReportFields& fields) {
    VisitRow(row, of_nodes, fields);
    fields("bytes", row.bytes);
  });
}

using enum TextTable::Align;

std::string HowText(const BenchReport& report) {
  const std::string batches = report.batch == 1 ? "" : fmt::format(" in batches of {}", report.batch);
  const char* sure = report.stable ? "stable: the median is known to within 1%" : "not stable; try --seconds with more";
  return fmt::format("runs     {}{}, {}; {}\n", CountText(static_cast<double>(report.run.samples * report.batch)),
                     batches, DurationText(report.measured_ns), sure);
}

// A row for each number of requests at a time, and how the rates compare.
std::string LoadText(const std::vector<LoadRow>& load) {
  TextTable table({{"requests", kLeft}, {"a second"}, {"p50"}, {"p90"}, {"p99"}, {"max"}});
  for (const LoadRow& row : load) {
    table.Add({fmt::format("{} at a time", row.concurrency), CountText(row.per_second),
               DurationText(row.latency.median), DurationText(row.latency.p90), DurationText(row.latency.p99),
               DurationText(row.latency.max)});
  }
  const LoadRow &alone = load.front(), &most = load.back();
  const std::string ratio = load.size() == 1 || alone.per_second <= 0
                                ? ""
                                : fmt::format("{} at a time: {:.2f} times the requests a second\n", most.concurrency,
                                              most.per_second / alone.per_second);
  return table.Text() + ratio;
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
    if (facts[s].of_step) {
      report.isolated_ns.push_back(summary.median);
      report.step_ns[*facts[s].of_step] += summary.median;
    } else {
      report.step_ns.push_back(summary.median);
    }
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
  for (const LoadRow& row : report.load) VisitLoad(row, WriteTo(document["load"].emplace_back()));
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
  if (document.contains("load")) {
    report.load =
        ReadList<LoadRow>(top, "load", mistake, [](LoadRow& row, ReportFields& fields) { VisitLoad(row, fields); });
  }
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
         TimeTable(report.nodes, kOfNodes) + "\n" + TimeTable(report.ops, kOfOps) +
         (report.load.empty() ? "" : "\n" + LoadText(report.load));
}

}  // namespace opsrun::host
