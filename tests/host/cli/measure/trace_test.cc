// tests/host/cli/measure/trace_test.cc: a trace, read back.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/measure/trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace opsrun::host {
namespace {

using Json = nlohmann::json;

const std::vector<NodeFacts> kTracedFacts = {{"a", "Add", "math", {"int32 [2]", "int32 [2]"}, {"int32 [2]"}},
                                             {"b", "Nonzero", "math", {"int32 [2]"}, {"int32 [...]"}}};

Json Written(const TraceLog& log, const std::string& title = "g.yaml") {
  std::string text;
  const Status status = WriteTrace(log, kTracedFacts, title, [&text](std::string_view piece) {
    text += piece;
    return OkStatus();
  });
  EXPECT_TRUE(status.ok());
  return Json::parse(text, nullptr, false)["traceEvents"];
}

std::vector<Json> Named(const Json& events, const std::string& name) {
  std::vector<Json> found;
  for (const Json& event : events) {
    if (event["name"] == name) found.push_back(event);
  }
  return found;
}

TraceLog TwoRuns() {
  TraceLog log(2, 2);
  log.At(0) = {5000, 9000, 0, false, {.steps = {{5500, 6000, 0}, {6250, 8000, 1}}}};
  log.At(1) = {6000, 9999, 1, true, {.steps = {{6500, 7000, 0}, {}}}};
  return log;
}

TEST(Trace, HasAnEventForEachStepWithWhatIsKnownOfIt) {
  const std::vector<Json> found = Named(Written(TwoRuns()), "b");
  ASSERT_EQ(found.size(), 1u) << "the step that did not run has none";
  EXPECT_EQ(found[0], Json::parse(R"({"ph": "X", "pid": 1, "tid": 2, "ts": 1.25, "dur": 1.75, "cat": "node",
    "name": "b", "args": {"op": "Nonzero", "plugin": "math", "inputs": ["int32 [2]"], "outputs": ["int32 [...]"],
                          "run": 0}})"));
}

TEST(Trace, HasTheRunsAround) {
  const Json events = Written(TwoRuns());
  EXPECT_EQ(Named(events, "run 0").at(0)["ts"], 0.0);
  EXPECT_EQ(Named(events, "run 0").at(0)["dur"], 4.0);
  EXPECT_EQ(Named(events, "run 1").at(0)["args"]["failed"], true);
}

TEST(Trace, NamesProcessAndTracks) {
  const Json events = Written(TwoRuns(), "odd \"name\"\n.yaml");
  EXPECT_EQ(Named(events, "process_name").at(0)["args"]["name"], "odd \"name\"\n.yaml");
  std::vector<std::string> names;
  for (const Json& track : Named(events, "thread_name")) names.push_back(track["args"]["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"lane 0, caller", "lane 0, worker 1", "lane 1, caller"}));
}

TEST(Trace, HasThePartsOfStepsInsideTheirRun) {
  TraceLog log = TwoRuns();
  log.At(0).times.parts = {{"rows", 6500, 7000, 2, 1}, {"\"\x01\xff", 1, 7000, 0, 0}};
  log.At(0).times.parts_left_out = 7;
  const Json events = Written(log);
  EXPECT_EQ(Named(events, "rows").at(0), Json::parse(R"({"ph": "X", "pid": 1, "tid": 3, "ts": 1.5, "dur": 0.5,
    "cat": "part", "name": "rows", "args": {"node": "b", "run": 0}})"));
  EXPECT_EQ(Named(events, "\"\x01\xEF\xBF\xBD").at(0)["ts"], 0.0) << "it cannot begin before its run";
  EXPECT_EQ(Named(events, "run 0").at(0)["args"]["parts_left_out"], 7);
  EXPECT_EQ(Named(events, "thread_name").at(2)["args"]["name"], "lane 0, worker 2");
}

TEST(Trace, LeavesOutRunsThatWereNotBegun) {
  EXPECT_EQ(Written(TraceLog(2, 3)).size(), 1u);
}

TEST(Trace, KeepsTheFirstRunsOfMany) {
  EXPECT_EQ(TraceLog(1, 1'000'000'000).runs().size(), 100'000u);
  EXPECT_EQ(TraceLog(10'000'000, 5).runs().size(), 1u);
  EXPECT_FALSE(TraceLog(10'000'000, 5).Keeps(1));
  EXPECT_EQ(TraceLog(10, 5).runs().size(), 5u);
}

TEST(Trace, EndsWithTheFirstFailureOfTheSink) {
  const Status status = WriteTrace(TwoRuns(), kTracedFacts, "", [](std::string_view) { return Internal("full"); });
  EXPECT_EQ(status.message(), "full");
}

}  // namespace

}  // namespace opsrun::host
