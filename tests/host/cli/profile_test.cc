// tests/host/cli/profile_test.cc: measuring with a clock that only runs move; profiles, and traces that are read back.
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/measure/measure.h"
#include "tests/host/plan/in_process_ops.h"

namespace opsrun::host {
namespace {

using Json = nlohmann::json;

constexpr int64_t kSecond = 1'000'000'000;

struct FakeRuns {
  int64_t ns = 0;          // of a run
  int64_t more = 0;        // that each run takes longer than the one before
  uint32_t ends_at = ~0u;  // the run that fails
  int64_t now = 0;
  uint32_t runs = 0;

  RunBatch run() {
    return [this](uint32_t count) {
      for (uint32_t i = 0; i < count; ++i, ++runs) now += ns + more * runs;
      return runs < ends_at;
    };
  }
  ReadClock clock() {
    return [this] { return now; };
  }
};

TEST(WarmUp, TakesATenthOfTheTimeOneLongRunOrAFailure) {
  FakeRuns slow{2 * kSecond}, fast{100}, fails{100, 0, 1};
  EXPECT_EQ(WarmUp(slow.run(), kSecond, slow.clock()), 2.0 * kSecond);
  EXPECT_EQ(slow.runs, 1u);
  EXPECT_EQ(WarmUp(fast.run(), 1'000'000, fast.clock()), 100.0);
  EXPECT_GE(fast.now, 100'000);
  EXPECT_LE(fast.now, 220'000);
  EXPECT_EQ(WarmUp(fails.run(), kSecond, fails.clock()), std::nullopt);
}

TEST(TakeSamples, EndsWhenTheyAreStableTheTimeIsOverOrARunFails) {
  FakeRuns even{1'000'000}, rising{1'000'000, 100'000}, fails{1'000'000, 0, 50};
  const auto stable = TakeSamples(even.run(), 1e6, kSecond, even.clock());
  EXPECT_TRUE(stable->stable);
  EXPECT_EQ(stable->batch, 1u);
  EXPECT_EQ(stable->samples, std::vector<double>(100, 1e6));
  EXPECT_FALSE(TakeSamples(rising.run(), 1e6, kSecond, rising.clock())->stable);
  EXPECT_GE(rising.now, kSecond);
  EXPECT_LE(rising.now, kSecond + 20'000'000);
  EXPECT_EQ(TakeSamples(fails.run(), 1e6, kSecond, fails.clock()), std::nullopt);
  EXPECT_EQ(fails.runs, 50u);
}

TEST(TakeSamples, PutsShortRunsIntoBatches) {
  FakeRuns fake{40};
  const auto taken = TakeSamples(fake.run(), 40, kSecond / 10, fake.clock());
  EXPECT_EQ(taken->batch, 250u);
  EXPECT_EQ(taken->samples[0], 40);
}

std::vector<double> UpTo(int n) {
  std::vector<double> samples;
  for (int i = 1; i <= n; ++i) samples.push_back(i);
  return samples;
}

TEST(Quantile, LiesBetweenTheNearestSamples) {
  EXPECT_EQ(Quantile({1, 2, 4}, 0.5), 2);
  EXPECT_EQ(Quantile({1, 2, 4}, 0.75), 3);
  EXPECT_EQ(Quantile({1, 2, 4}, 1), 4);
  EXPECT_EQ(Quantile({7}, 0.9), 7);
}

TEST(Summary, IsOfTheSortedSamples) {
  const Summary summary = Summarize({5, 1, 3, 2, 4});
  EXPECT_EQ(summary.samples, 5u);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.p90, 4.6);
  EXPECT_EQ(summary.max, 5);
  EXPECT_EQ(Summarize({}).samples, 0u);
}

// Of 100 samples, ranks 40 to 61 hold the median in 95 of 100 cases (a table of binomials says so); of a few, all.
TEST(MedianInterval, ComesFromRanks) {
  const Interval interval = MedianInterval(UpTo(100)), all = MedianInterval({2, 3, 9});
  EXPECT_EQ(interval.low, 40);
  EXPECT_EQ(interval.high, 61);
  EXPECT_EQ(all.low, 2);
  EXPECT_EQ(all.high, 9);
}

TEST(IsStable, NeedsTwentySamplesAndANarrowInterval) {
  EXPECT_FALSE(IsStable(std::vector<double>(19, 5.0)));
  EXPECT_TRUE(IsStable(std::vector<double>(20, 5.0)));
  EXPECT_FALSE(IsStable(UpTo(100)));
  std::vector<double> outliers(100, 5.0), drift(100, 5.0);
  for (size_t i = 0; i < 100; i += 5) outliers[i] = 1000;
  for (size_t i = 50; i < 100; ++i) drift[i] = 5.2;
  EXPECT_TRUE(IsStable(outliers));
  EXPECT_FALSE(IsStable(drift));
}

const std::vector<NodeFacts> kFacts = {{"a", "Add", "math"}, {"b", "Pad", "pad"}, {"c", "Add", "math"}};

TEST(Profile, IsByNodeAndByOpAndShowsTheHost) {
  ProfileSums sums;
  sums.Add({{100, 400, 0}, {400, 1000, 0}, {1000, 1100, 0}}, 1250);
  sums.Add({{100, 400, 0}, {400, 1000, 0}, {1000, 1100, 0}}, 1250);
  EXPECT_EQ(ProfileText(sums, kFacts, 20), R"(profile of 2 runs, 2.50 us in total

node  op        calls    total    mean   share
b     pad.Pad       2  1.20 us  600 ns  60.0 %
a     math.Add      2   600 ns  300 ns  30.0 %
c     math.Add      2   200 ns  100 ns  10.0 %

op        calls    total    mean   share
pad.Pad       2  1.20 us  600 ns  60.0 %
math.Add      4   800 ns  200 ns  40.0 %

kernels  2.00 us
host     500 ns, 20.0 % of the time in runs
clock    reading it adds about 20.0 ns to each call and as much to the host's time
)");
}

TEST(Profile, OfSeveralThreadsSaysHowManyWereBusy) {
  ProfileSums sums, other;
  sums.Add({{100, 400, 0}, {100, 500, 1}, {500, 600, 0}}, 500);
  other.Merge(sums);
  EXPECT_EQ(other.steps[1].ns, 400);
  EXPECT_NE(ProfileText(other, kFacts, 20).find("threads  1.60 in kernels on average"), std::string::npos);
}

TEST(Profile, FoldsTheTailAndCountsNoStepThatDidNotRun) {
  std::vector<NodeFacts> facts;
  std::vector<StepTime> times;
  for (int64_t i = 0; i < 20; ++i) {
    facts.push_back({"n" + std::to_string(i), "Op", "p"});
    times.push_back({1, 101 - i, 0});
  }
  ProfileSums sums, one;
  sums.Add(times, 3000);
  const std::string text = ProfileText(sums, facts, 20);
  EXPECT_NE(text.find("\nn14  "), std::string::npos) << text;
  EXPECT_EQ(text.find("\nn15 "), std::string::npos) << text;
  EXPECT_NE(text.find("\n5 more            5   415 ns  83.0 ns  22.9 %\n"), std::string::npos) << text;
  EXPECT_EQ(ProfileText({}, {}, 20).find("nan"), std::string::npos);
  one.Add({{100, 400, 0}, {}, {}}, 500);
  EXPECT_EQ(one.steps[1].calls, 0u);
  EXPECT_EQ(one.kernel_ns, 300);
}

TEST(NodeFacts, KnowTheBytesWhereThePlanKnowsTheShapes) {
  InProcessOps ops;
  ops.Add({.name = "Same", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape);
  ops.Add({.name = "Late", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, nullptr);
  const Plan* plan = ops.Make(
      "feeds:\n  x: {value: [1, 2, 3], dtype: int32}\nnodes:\n  a: {op: Same, in: x}\n  b: {op: Late, in: a}\n"
      "outputs: [b]\n");
  ASSERT_NE(plan, nullptr) << ops.Found();
  const std::vector<NodeFacts> facts = FactsOf(*plan);
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].name + " " + facts[0].QualifiedOp(), "a test.Same");
  EXPECT_EQ(facts[0].bytes, 24u);
  EXPECT_EQ(facts[1].inputs, std::vector<std::string>{"int32 [3]"});
  EXPECT_EQ(facts[1].outputs, std::vector<std::string>{"int32 [...]"});
  EXPECT_EQ(facts[1].bytes, std::nullopt);
}

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

TEST(Trace, KeepsTheFirstRunsOfManyAndLeavesOutThoseThatWereNotBegun) {
  EXPECT_EQ(Written(TraceLog(2, 3)).size(), 1u);
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
