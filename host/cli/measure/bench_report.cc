// host/cli/measure/bench_report.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/measure/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

namespace opsrun::host {
namespace {

void SortByTime(std::vector<BenchRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const BenchRow& a, const BenchRow& b) { return a.median > b.median; });
}

// The sums of the bounds of the nodes' intervals give a conservative interval for the op.
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

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr double kLargest = 1e18;  // limit for numbers that are read: 30 years in nanoseconds

Json RunJson(const BenchReport& report) {
  const Summary& run = report.run;
  return {{"samples", run.samples},
          {"batch", report.batch},
          {"stable", report.stable},
          {"measured_ns", report.measured_ns},
          {"min_ns", run.min},
          {"median_ns", run.median},
          {"median_low_ns", run.noise.low},
          {"median_high_ns", run.noise.high},
          {"p90_ns", run.p90},
          {"p99_ns", run.p99},
          {"max_ns", run.max},
          {"runs_per_second", report.RunsPerSecond()},
          {"ns_per_node", report.NsPerNode()}};
}

Json OptionalJson(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json RowJson(const BenchRow& row, double all) {
  Json json = {{"name", row.name}};
  if (!row.op.empty()) json["op"] = row.op;
  json["calls"] = row.calls;
  json["median_ns"] = row.median;
  json["median_low_ns"] = row.noise.low;
  json["median_high_ns"] = row.noise.high;
  json["share"] = all > 0 ? row.median / all : 0;
  json["bytes"] = OptionalJson(row.bytes);
  json["bytes_per_second"] = OptionalJson(row.Bandwidth());
  return json;
}

Json RowsJson(const std::vector<BenchRow>& rows) {
  Json json = Json::array();
  const double all = KernelTime(rows);
  for (const BenchRow& row : rows) json.push_back(RowJson(row, all));
  return json;
}

// Reads fields of one object. Remembers the first field that is missing or of the wrong type; later reads return
// defaults.
class Fields {
 public:
  Fields(const Json& object, std::string where, std::string& mistake)
      : object_(object), where_(std::move(where)), mistake_(mistake) {}

  const Json* Find(const char* name, const char* kind, bool (Json::*is_kind)() const noexcept) {
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    if (found == object_.end()) return Mistake(name, "is missing");
    if (!((*found).*is_kind)()) return Mistake(name, fmt::format("must be a {}, found a {}", kind, found->type_name()));
    return &*found;
  }

  std::string Text(const char* name) {
    const Json* json = Find(name, "string", &Json::is_string);
    return json == nullptr ? "" : json->get<std::string>();
  }

  bool Flag(const char* name) {
    const Json* json = Find(name, "boolean", &Json::is_boolean);
    return json != nullptr && json->get<bool>();
  }

  double Number(const char* name) {
    const Json* json = Find(name, "number", &Json::is_number);
    const double value = json == nullptr ? 0 : json->get<double>();
    if (value >= 0 && value <= kLargest) return value;
    Mistake(name, fmt::format("is {:g}, which no measurement gives", value));
    return 0;
  }

  uint64_t Count(const char* name) { return static_cast<uint64_t>(Number(name)); }

  std::optional<double> OptionalNumber(const char* name) {
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    if (found != object_.end() && found->is_null()) return std::nullopt;
    return Number(name);
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

class Reader {
 public:
  explicit Reader(const Json& document) : document_(document), top_(document, "", mistake_) {}

  Result<BenchReport> Read() {
    const double format = top_.Number("opsrun_bench");
    if (mistake_.empty() && format != kFormat) {
      mistake_ = fmt::format("'opsrun_bench' is {:g}; this opsrun reads {}", format, kFormat);
    }
    BenchReport report;
    ReadTop(report);
    if (const Json* run = top_.Find("run", "object", &Json::is_object)) ReadRun(Fields(*run, "run.", mistake_), report);
    if (const Json* timed = top_.Find("timed", "object", &Json::is_object)) {
      Fields fields(*timed, "timed.", mistake_);
      report.timed_runs = fields.Count("runs");
      report.clock_ns = fields.Number("clock_ns");
    }
    report.nodes = Rows("nodes", true);
    report.ops = Rows("ops", false);
    if (!mistake_.empty()) return InvalidArgument(mistake_);
    return report;
  }

 private:
  void ReadTop(BenchReport& report) {
    report.graph = top_.Text("graph");
    report.version = top_.Text("version");
    report.cpu = top_.Text("cpu");
    report.threads = static_cast<uint32_t>(std::min<uint64_t>(top_.Count("threads"), ~uint32_t{0}));
    report.memory_bytes = top_.Count("memory_bytes");
  }

  void ReadRun(Fields run, BenchReport& report) {
    report.batch = run.Count("batch");
    report.stable = run.Flag("stable");
    report.measured_ns = run.Number("measured_ns");
    report.run = {run.Count("samples"),
                  run.Number("min_ns"),
                  run.Number("median_ns"),
                  run.Number("p90_ns"),
                  run.Number("p99_ns"),
                  run.Number("max_ns"),
                  {}};
    report.run.noise = {run.Number("median_low_ns"), run.Number("median_high_ns")};
  }

  std::vector<BenchRow> Rows(const char* name, bool with_op) {
    std::vector<BenchRow> rows;
    const Json* list = top_.Find(name, "array", &Json::is_array);
    if (list == nullptr) return rows;
    for (size_t i = 0; i < list->size() && mistake_.empty(); ++i) {
      Fields row((*list)[i], fmt::format("{}[{}].", name, i), mistake_);
      rows.push_back({row.Text("name"),
                      with_op ? row.Text("op") : "",
                      row.Count("calls"),
                      row.Number("median_ns"),
                      {row.Number("median_low_ns"), row.Number("median_high_ns")},
                      row.OptionalNumber("bytes")});
    }
    return rows;
  }

  const Json& document_;
  std::string mistake_;
  Fields top_;
};

}  // namespace

std::string BenchJson(const BenchReport& report) {
  const Json document = {
      {"opsrun_bench", kFormat},         {"graph", report.graph},
      {"version", report.version},       {"cpu", report.cpu},
      {"threads", report.threads},       {"memory_bytes", report.memory_bytes},
      {"run", RunJson(report)},          {"timed", {{"runs", report.timed_runs}, {"clock_ns", report.clock_ns}}},
      {"nodes", RowsJson(report.nodes)}, {"ops", RowsJson(report.ops)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<BenchReport> ReadBenchJson(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return InvalidArgument("it is not JSON");
  if (!document.is_object()) {
    return InvalidArgument(fmt::format("it is a JSON {}, not an object", document.type_name()));
  }
  return Reader(document).Read();
}

}  // namespace opsrun::host
