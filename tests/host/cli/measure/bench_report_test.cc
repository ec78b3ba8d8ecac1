// tests/host/cli/measure/bench_report_test.cc: bench: measuring with a clock that only runs move, and reports.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/measure/bench_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace opsrun::host {
namespace {

using Json = nlohmann::json;

BenchReport MakeReport() {
  BenchReport report{"g.yaml", "0.1.0", "Fast 3000", 2, 4096};
  report.run = {200, 900, 1000, 1100, 1200, 2000, {990, 1010}};
  report.batch = 10;
  report.stable = true;
  report.measured_ns = 2e6;
  report.clock_ns = 20;
  StepSamples samples(3);
  for (int i = 0; i < 2; ++i) samples.Add({{0, 100, 0}, {100, 700, 0}, {700, 800, 0}});
  AddRows(
      samples,
      {{"a", "Add", "math", {}, {}, 200}, {"b", "Pad", "pad", {}, {}, std::nullopt}, {"c", "Add", "math", {}, {}, 100}},
      report);
  return report;
}

TEST(BenchReport, AddsUpOps) {
  const BenchReport report = MakeReport();
  ASSERT_EQ(report.ops.size(), 2u);
  EXPECT_EQ(report.ops[1].name, "math.Add");
  EXPECT_EQ(report.ops[1].calls, 2u);
  EXPECT_EQ(report.ops[1].ns, 200);
  EXPECT_EQ(report.ops[1].bytes, 300);
}

TEST(BenchText, ShowsRunNodesAndOps) {
  EXPECT_EQ(BenchText(MakeReport()), R"(g.yaml: 3 nodes, 2 threads, Fast 3000
runs     2.00 k in batches of 10, 2.00 ms; stable: the median is known to within 1%
time     min 900 ns, median 1.00 us, p90 1.10 us, p99 1.20 us, max 2.00 us, means of batches
rate     1.00 M runs a second, 333 ns a node
memory   4.00 KiB a lane

kernels, from 2 more runs with the clock read around each, which adds about 20.0 ns

node  op        median   share  bandwidth
b     pad.Pad   600 ns  75.0 %          -
a     math.Add  100 ns  12.5 %  2.00 GB/s
c     math.Add  100 ns  12.5 %  1.00 GB/s

op        calls  median   share  bandwidth
pad.Pad       1  600 ns  75.0 %          -
math.Add      2  200 ns  25.0 %  1.50 GB/s
)");
}

// Tails are folded as in profile_test.cc.
TEST(BenchText, SaysThatItIsNotStable) {
  BenchReport report = MakeReport();
  report.stable = false;
  const std::string text = BenchText(report);
  EXPECT_NE(text.find("2.00 ms; not stable; try --seconds with more\n"), std::string::npos) << text;
}

TEST(BenchJson, IsReadBackAlsoWithAPathThatIsNoText) {
  BenchReport report = MakeReport();
  const Result<BenchReport> read = ReadBenchJson(BenchJson(report));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(BenchJson(*read), BenchJson(report));
  report.graph = "\xff\"";
  EXPECT_EQ(Json::parse(BenchJson(report), nullptr, false)["graph"], "\xEF\xBF\xBD\"");
}

std::string RefusalOf(const std::string& text) {
  const Result<BenchReport> read = ReadBenchJson(text);
  return read.ok() ? "none" : read.status().message();
}

TEST(ReadBenchJson, RefusesWhatIsNoDocument) {
  for (const std::string& text :
       {std::string(), std::string("{\"a\":"), std::string("{\"a\": 1e999}"), std::string(1'000'000, '[')})
    EXPECT_EQ(RefusalOf(text), "it is not JSON") << text.substr(0, 9);
  EXPECT_EQ(RefusalOf("[1]"), "it is a JSON array, not an object");
  EXPECT_EQ(RefusalOf("{}"), "'opsrun_bench' is missing");
  EXPECT_EQ(RefusalOf("{\"opsrun_bench\": 2}"), "'opsrun_bench' is 2; this opsrun reads 1");
}

// Each field, missing and of a kind that none is of; and numbers that no measurement gives.
TEST(ReadBenchJson, NamesTheFieldThatIsWrong) {
  const Json good = Json::parse(BenchJson(MakeReport()), nullptr, false);
  for (const char* at : {"/graph", "/cpu", "/threads", "/memory_bytes", "/run", "/run/median_ns", "/run/stable",
                         "/timed", "/timed/clock_ns", "/nodes", "/nodes/1/name", "/nodes/1/op", "/nodes/1/bytes",
                         "/ops", "/ops/0/median_low_ns"}) {
    const Json::json_pointer pointer(at);
    Json bad = good;
    bad[pointer] = Json::parse(R"([{"a": null}])", nullptr, false);
    EXPECT_NE(RefusalOf(bad.dump()), "none") << at;
    bad[pointer.parent_pointer()].erase(pointer.back());
    EXPECT_NE(RefusalOf(bad.dump()).find(pointer.back() + "' is missing"), std::string::npos) << at;
  }
  for (const auto& [number, text] : {std::pair(-1.0, "-1"), std::pair(1e300, "1e+300")}) {
    Json bad = good;
    bad["run"]["median_ns"] = number;
    EXPECT_EQ(RefusalOf(bad.dump()), std::string("'run.median_ns' is ") + text + ", which cannot be a measurement");
  }
}

TEST(Changes, AreNoneOfTheSameReportAndNeverDivideByNothing) {
  const std::string text = ChangesText(MakeReport(), MakeReport());
  for (const char* part :
       {"\nmedian     1.00 us   1.00 us  1.000\n", "\nno change beyond the noise\n",
        "\n0 of 3 nodes changed by more than the noise\n", "\n0 of 2 ops changed by more than the noise\n"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  const BenchReport nothing;
  EXPECT_EQ(ChangesText(nothing, MakeReport()).find("inf"), std::string::npos);
  EXPECT_EQ(ChangesText(MakeReport(), nothing).find("nan"), std::string::npos);
}

TEST(CpuModel, IsTheFirstModelName) {
  EXPECT_EQ(CpuModel("processor\t: 0\nmodel name\t: Fast (R) 3000\nflags\t: a\nmodel name\t: Other\n"),
            "Fast (R) 3000");
  EXPECT_EQ(CpuModel("model name\t: X"), "X");
  EXPECT_EQ(CpuModel("Features : fp\n"), "unknown CPU");
  EXPECT_EQ(CpuModel(""), "unknown CPU");
}

TEST(Changes, ShowWhatIsBeyondTheNoise) {
  const BenchReport old = MakeReport();
  BenchReport now = MakeReport();
  now.run.median = 800;
  now.run.noise = {790, 810};
  now.nodes[0].ns = 300;
  now.nodes[0].noise = {290, 310};
  now.nodes[1].ns = 150;  // but its interval still touches the old one
  now.nodes[2].name = "d";
  const std::string text = ChangesText(old, now);
  EXPECT_NE(text.find("faster by 20.0 %\n"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of 2 nodes changed by more than the noise, 1 only in the old, 1 only in the new\n"
                      "node     old     new  ratio\nb     600 ns  300 ns  0.500\n"),
            std::string::npos)
      << text;
}

TEST(Doubts, AreAboutMachineAndStability) {
  BenchReport old = MakeReport();
  EXPECT_TRUE(Doubts(old, MakeReport()).empty());
  old.cpu = "Slow 1";
  old.threads = 1;
  old.stable = false;
  EXPECT_EQ(Doubts(old, MakeReport()),
            (std::vector<std::string>{"the old results are for CPU Slow 1, the new ones for Fast 3000",
                                      "the old results are with 1 thread, the new ones with 2 threads",
                                      "the old results are not stable"}));
}

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

}  // namespace
}  // namespace opsrun::host
