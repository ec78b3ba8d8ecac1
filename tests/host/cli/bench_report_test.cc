// tests/host/cli/bench_report_test.cc: reports of bench, and what changed between two.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/cli/measure/measure.h"

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

// The requests of two callers: 3 of 10 ns, and one of 40 ns that ends last.
LoadRow TwoCallers() {
  std::vector<Requests> callers(3);  // the third one sent none
  for (int i = 0; i < 3; ++i) callers[0].Add(100 + 10 * i, 110 + 10 * i);
  callers[1].Add(110, 150);
  return Requests::Merge(callers);
}

TEST(Requests, OfAllCallersCountOnceInRateAndLatency) {
  const LoadRow row = TwoCallers();
  EXPECT_EQ(row.concurrency, 2u);
  EXPECT_EQ(row.requests, 4u);
  EXPECT_DOUBLE_EQ(row.per_second, 4e9 / 50);
  EXPECT_EQ(row.latency.median, 10);
  EXPECT_EQ(row.latency.max, 40);
}

// The second caller sends as many requests as the first, which had to leave out half of its times.
TEST(Requests, KeepFewTimesEvenlyAndTheLongestOne) {
  constexpr auto kMany = static_cast<int64_t>(Requests::kMostSamples);
  std::vector<Requests> callers(2);
  for (int64_t i = 0; i < kMany + 1; ++i) callers[0].Add(0, i == 7 ? 1000 : 10);
  for (int64_t i = 0; i < kMany - 1; ++i) callers[1].Add(0, 30);
  const LoadRow row = Requests::Merge(callers);
  EXPECT_EQ(row.requests, 2u * kMany);
  EXPECT_NEAR(static_cast<double>(row.latency.samples), kMany, 2);
  EXPECT_EQ(row.latency.min, 10);
  EXPECT_GE(row.latency.median, 10);
  EXPECT_EQ(row.latency.p90, 30);
  EXPECT_EQ(row.latency.max, 1000);
}

TEST(BenchText, EndsWithTheLoad) {
  BenchReport report = MakeReport();
  report.load = {{1, 1000, 1e6, {1000, 900, 1000, 1100, 1200, 2000, {}}},
                 {4, 3000, 2.5e6, {3000, 1000, 1500, 1600, 9000, 99000, {}}}};
  const std::string text = BenchText(report);
  EXPECT_TRUE(text.ends_with(R"(
requests     a second      p50      p90      p99      max
1 at a time    1.00 M  1.00 us  1.10 us  1.20 us  2.00 us
4 at a time    2.50 M  1.50 us  1.60 us  9.00 us  99.0 us
4 at a time: 2.50 times the requests a second
)")) << text;
  BenchReport slower = report;
  slower.load[1].per_second = 2e6;
  EXPECT_NE(ChangesText(report, slower).find("\nrate, 4 at a time    2.50 M    2.00 M  0.800\n"), std::string::npos)
      << ChangesText(report, slower);
  EXPECT_EQ(BenchJson(*ReadBenchJson(BenchJson(report))), BenchJson(report));
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

}  // namespace

}  // namespace opsrun::host
