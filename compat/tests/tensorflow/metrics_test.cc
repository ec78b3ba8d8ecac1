// compat/tests/tensorflow/metrics_test.cc: numbers that a source keeps about itself, and names of types, by TensorFlow's
// names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <typeinfo>

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/lib/monitoring/counter.h"
#include "tensorflow/core/lib/monitoring/gauge.h"
#include "tensorflow/core/lib/monitoring/sampler.h"
#include "tensorflow/core/lib/monitoring/timed.h"
#include "tensorflow/core/platform/abi.h"
#include "tensorflow/core/platform/demangle.h"
#include "tensorflow/core/platform/numa.h"

namespace tensorflow {
namespace {

TEST(CompatMetrics, CountForEachLabel) {
  static auto* const counter = monitoring::Counter<1>::New("/compat/count", "What was counted.", "kind");
  EXPECT_TRUE(counter->GetStatus().ok());
  counter->GetCell("a")->IncrementBy(2);
  counter->GetCell("a")->IncrementBy(3);
  EXPECT_EQ(counter->GetCell("a")->value(), 5);
  EXPECT_EQ(counter->GetCell("b")->value(), 0);
}

TEST(CompatMetrics, KeepTheLastValue) {
  static auto* const gauge = monitoring::Gauge<std::string, 0>::New("/compat/gauge", "The last text.");
  monitoring::GaugeCell<std::string>* const cell = gauge->GetCell();
  cell->Set("text");
  EXPECT_EQ(cell->value(), "text");
  EXPECT_EQ(gauge->GetCell(), cell);
}

TEST(CompatMetrics, TakeSamples) {
  auto buckets = monitoring::Buckets::Exponential(1, 2, 3);
  EXPECT_EQ(buckets->explicit_bounds()[2], 4);
  EXPECT_EQ(monitoring::Buckets::Explicit({1.0, 10.0})->explicit_bounds().size(), 3u);
  static auto* const sampler = monitoring::Sampler<1>::New({"/compat/times", "Times.", "op"}, std::move(buckets));
  monitoring::SamplerCell* const cell = sampler->GetCell("Pad");
  cell->Add(1.5);
  const auto timed = monitoring::MakeTimed(cell);
}

struct Sum {
  void Add(double value) { sum += value; }
  double sum = -1;
};

TEST(CompatMetrics, MeasureTime) {
  Sum sum;
  { monitoring::Timed<Sum> timed(&sum, 1.0); }
  EXPECT_GE(sum.sum, -1);
  static auto* const counter = monitoring::Counter<0>::New("/compat/none", "No labels.");
  monitoring::CounterCell* const cell = counter->GetCell();
  EXPECT_EQ(cell->value(), 0);
}

TEST(CompatTypes, HaveReadableNames) {
  EXPECT_EQ(port::MaybeAbiDemangle(typeid(std::pair<int, bool>).name()), "std::pair<int, bool>");
  EXPECT_EQ(port::MaybeAbiDemangle("no name"), "no name");
  EXPECT_EQ(port::Demangle("_ZN1a1bEv"), "a::b()");
  EXPECT_EQ(cpu_allocator(port::kNUMANoAffinity), cpu_allocator());
}

}  // namespace
}  // namespace tensorflow
