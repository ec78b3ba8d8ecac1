// host/cli/measure/trace.cc: the text of a trace. Text that repeats in every run is formatted once per node.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "host/cli/measure/measure.h"
#include "host/show/json_text.h"
#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

constexpr size_t kPiece = 1 << 16;
// Keeps the track numbers of a lane together.
constexpr uint64_t kTracksPerLane = 1 << 12;

uint64_t TrackOf(uint32_t lane, int32_t thread) {
  return lane * kTracksPerLane + static_cast<uint64_t>(thread) + 1;
}

std::string ThreadName(int32_t thread) {
  if (thread == 0) return "caller";
  if (thread < kIsolatedThreads) return fmt::format("worker {}", thread);
  const int32_t waits = (thread - kIsolatedThreads) / kThreadsOfIsolated;
  return fmt::format("isolated worker {} of {}", thread % kThreadsOfIsolated, ThreadName(waits));
}

// The constant part of a node's events: name and all args except the run.
struct NodeJson {
  std::string name, args;
};

std::vector<NodeJson> TextsOf(const std::vector<NodeFacts>& facts) {
  std::vector<NodeJson> texts;
  for (const NodeFacts& node : facts) {
    Json args = {{"op", node.op}, {"plugin", node.plugin}, {"inputs", node.inputs}, {"outputs", node.outputs}};
    if (!node.device.empty()) args["device"] = node.device;
    std::string text = JsonOnOneLine(args);
    text.pop_back();
    texts.push_back({JsonOnOneLine(node.name), std::move(text)});
  }
  return texts;
}

class TraceWriter {
 public:
  TraceWriter(const TraceLog& log, const TraceSink& sink) : sink_(sink) {
    begin_ = std::numeric_limits<int64_t>::max();
    for (const TracedRun& run : log.runs()) {
      if (run.begin != 0) begin_ = std::min(begin_, run.begin);
    }
  }

  void Head(const std::string& title) {
    text_ = fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"opsrun\":\"{}\"}},\"traceEvents\":[\n"
        R"({{"ph":"M","pid":1,"name":"process_name","args":{{"name":{}}}}})",
        OPSRUN_VERSION, JsonOnOneLine(title));
  }

  void Tracks(const TraceLog& log) {
    std::set<std::pair<uint32_t, int32_t>> tracks;
    for (const TracedRun& run : log.runs()) {
      if (run.begin != 0) tracks.insert({run.lane, 0});
      for (const StepTime& step : run.times.steps) tracks.insert({run.lane, step.begin == 0 ? 0 : step.thread});
      for (const PartTime& part : run.times.parts) tracks.insert({run.lane, part.thread});
    }
    for (const auto& [lane, thread] : tracks) {
      Append(R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_name","args":{{"name":"lane {1}, {2}"}}}})",
             TrackOf(lane, thread), lane, ThreadName(thread));
      Append(R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})",
             TrackOf(lane, thread));
    }
  }

  void Run(const TracedRun& run, size_t number) {
    const size_t left_out = run.times.parts_left_out;
    Append(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"cat":"run","name":"run {}","args":{{"failed":{}{}}}}})",
           TrackOf(run.lane, 0), Micros(run.begin - begin_), Micros(run.end - run.begin), number, run.failed,
           left_out == 0 ? "" : fmt::format(R"(,"parts_left_out":{})", left_out));
  }

  void Step(const TracedRun& run, const StepTime& step, const NodeJson& node, size_t number) {
    Append(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"cat":"node","name":{},"args":{},"run":{}}}}})",
           TrackOf(run.lane, step.thread), Micros(step.begin - begin_), Micros(step.end - step.begin), node.name,
           node.args, number);
    if (text_.size() >= kPiece) Flush();
  }

  // Clamps the times reported by a kernel to its run.
  void Part(const TracedRun& run, const PartTime& part, const NodeJson& node, size_t number) {
    const int64_t begin = std::clamp(part.begin, run.begin, part.end);
    Append(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"cat":"part","name":{},"args":{{"node":{},"run":{}}}}})",
           TrackOf(run.lane, part.thread), Micros(begin - begin_), Micros(part.end - begin), JsonOnOneLine(part.name),
           node.name, number);
    if (text_.size() >= kPiece) Flush();
  }

  Status Finish() {
    text_ += "\n]}\n";
    Flush();
    return status_;
  }

 private:
  // Whole nanoseconds as the format's microseconds.
  static std::string Micros(int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  template <typename... Args>
  void Append(fmt::format_string<Args...> format, Args&&... args) {
    text_ += ",\n";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void Flush() {
    if (status_.ok()) status_ = sink_(text_);
    text_.clear();
  }

  const TraceSink& sink_;
  int64_t begin_;
  std::string text_;
  Status status_;
};

}  // namespace

Status WriteTrace(const TraceLog& log, const std::vector<NodeFacts>& facts, const std::string& title,
                  const TraceSink& sink) {
  const std::vector<NodeJson> texts = TextsOf(facts);
  TraceWriter writer(log, sink);
  writer.Head(title);
  writer.Tracks(log);
  for (size_t r = 0; r < log.runs().size(); ++r) {
    const TracedRun& run = log.runs()[r];
    if (run.begin == 0) continue;
    writer.Run(run, r);
    const std::vector<StepTime>& steps = run.times.steps;
    for (size_t s = 0; s < steps.size(); ++s) {
      if (steps[s].begin != 0) writer.Step(run, steps[s], texts[s], r);
    }
    for (const PartTime& part : run.times.parts) writer.Part(run, part, texts[part.step], r);
  }
  return writer.Finish();
}

}  // namespace opsrun::host
