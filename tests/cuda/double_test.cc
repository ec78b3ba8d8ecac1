// tests/cuda/double_test.cc: the fake driver finds errors of programs with both schedules.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>

#include "host/device/cuda_device.h"
#include "tests/cuda/fake_driver.h"

namespace opsrun::host {
namespace {

struct Numbers {
  const int* from;
  int* to;
  int n;
};
void AddOne(const void* closure) {
  const auto& it = *static_cast<const Numbers*>(closure);
  for (int i = 0; i < it.n; ++i) it.to[i] = it.from[i] + 1;
}
void Fill(const void* closure) {
  const auto& it = *static_cast<const Numbers*>(closure);
  for (int i = 0; i < it.n; ++i) it.to[i] = 7;
}

// Runs with both schedules, each in its own process under ctest.
class DoubleTest : public ::testing::TestWithParam<const char*> {
 protected:
  DoubleTest() { setenv("OPSRUN_DOUBLE_SCHEDULE", GetParam(), 1); }

  void SetUp() override { Open(); }

  // Creates two streams, an event, a pool, and page-locked memory: zeros, and a place for results.
  void Open() {
    Result<CudaDriver> loaded = CudaDriver::Load();
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    d_ = *loaded;
    ASSERT_EQ(d_.cuDevicePrimaryCtxRetain(&context_, 0), 0);
    ASSERT_EQ(d_.cuCtxPushCurrent(context_), 0);
    d_.cuStreamCreate(&a_, kCudaNonBlocking);
    d_.cuStreamCreate(&b_, kCudaNonBlocking);
    d_.cuEventCreate(&event_, kCudaNoTiming);
    CudaPoolProperties properties{};
    properties.allocation_type = properties.location_type = 1;
    d_.cuMemPoolCreate(&pool_, &properties);
    d_.cuMemAllocHost(reinterpret_cast<void**>(&host_), kN * sizeof(int));
    d_.cuMemAllocHost(reinterpret_cast<void**>(&zeros_), kN * sizeof(int));
    std::memset(zeros_, 0, kN * sizeof(int));
  }
  CudaAddress New(CudaStream stream) {
    CudaAddress address = 0;
    EXPECT_EQ(d_.cuMemAllocFromPoolAsync(&address, kN * sizeof(int), pool_, stream), 0);
    return address;
  }
  int Launch(CudaStream stream, void (*kernel)(const void*), CudaAddress from, CudaAddress to, int n = kN) {
    const Numbers numbers{reinterpret_cast<const int*>(from), reinterpret_cast<int*>(to), n};
    return DoubleCalls::Get().launch(stream, kernel == Fill ? "Fill" : "AddOne", kernel, &numbers, sizeof(numbers));
  }
  void Follow(CudaStream first, CudaStream then) {
    d_.cuEventRecord(event_, first);
    d_.cuStreamWaitEvent(then, event_, 0);
  }
  void CopyOut(CudaAddress from, CudaStream stream) { d_.cuMemcpyDtoHAsync(host_, from, kN * sizeof(int), stream); }
  // Ends the use of the driver; its reports have one of this kind, or there are none.
  void CloseExpecting(const std::string& kind = "") {
    d_.cuStreamSynchronize(a_);
    d_.cuStreamSynchronize(b_);
    d_.cuStreamDestroy(a_);
    d_.cuStreamDestroy(b_);
    d_.cuDevicePrimaryCtxRelease(0);
    if (kind.empty()) {
      EXPECT_EQ(reports_.Text(), "");
    } else {
      ExpectReport(kind);
    }
  }
  void ExpectReport(const std::string& kind) {
    EXPECT_NE(reports_.Text().find("opsrun double: " + kind + ": "), std::string::npos) << reports_.Text();
  }

  static constexpr int kN = 100;
  const DriverReports reports_;
  CudaDriver d_;
  CudaContext context_ = nullptr;
  CudaStream a_ = nullptr, b_ = nullptr;
  CudaEvent event_ = nullptr;
  CudaPool pool_ = nullptr;
  int *host_ = nullptr, *zeros_ = nullptr;
};

TEST_P(DoubleTest, ReportsNothingOfAProgramThatWaits) {
  const CudaAddress x = New(a_), y = New(b_);
  d_.cuMemcpyHtoDAsync(x, zeros_, kN * sizeof(int), a_);
  Follow(a_, b_);
  EXPECT_EQ(Launch(b_, AddOne, x, y), 0);
  CopyOut(y, b_);
  d_.cuMemFreeAsync(y, b_);
  d_.cuMemFreeAsync(x, b_);
  EXPECT_EQ(d_.cuStreamSynchronize(b_), 0);
  EXPECT_EQ(host_[0], 1);
  EXPECT_EQ(host_[kN - 1], 1);
  CloseExpecting();
}

// Eager executes work before it can be read too early; lazy executes nothing before it must.
TEST_P(DoubleTest, OnlyOneScheduleShowsAResultThatIsReadTooEarly) {
  const CudaAddress x = New(a_);
  d_.cuMemcpyHtoDAsync(x, zeros_, kN * sizeof(int), a_);
  CopyOut(x, a_);
  const bool eager = GetParam() == std::string("eager");
  EXPECT_EQ(host_[0], eager ? 0 : static_cast<int>(0xDBDBDBDB)) << "the pattern of what is not there yet";
}

TEST_P(DoubleTest, GivesMemoryThatIsNotZero) {
  CopyOut(New(a_), a_);
  d_.cuStreamSynchronize(a_);
  EXPECT_NE(host_[0], 0);
}

TEST_P(DoubleTest, FindsAReadThatDoesNotWait) {
  const CudaAddress x = New(a_), y = New(b_);
  Follow(a_, b_);
  Launch(a_, Fill, 0, x);
  Launch(b_, AddOne, x, y);
  CloseExpecting("missing wait");
}

TEST_P(DoubleTest, FindsAWriteThatDoesNotWaitForAReader) {
  const CudaAddress x = New(a_), y = New(a_);
  Launch(a_, Fill, 0, x);
  Follow(a_, b_);
  Launch(a_, AddOne, x, y);
  Launch(b_, Fill, 0, x);
  CloseExpecting("missing wait");
}

TEST_P(DoubleTest, FindsAUseBeforeTheAllocation) {
  const CudaAddress x = New(a_);
  Launch(b_, Fill, 0, x);
  CloseExpecting("use before allocation");
}

TEST_P(DoubleTest, FindsAUseAfterTheEnd) {
  const CudaAddress x = New(a_);
  d_.cuMemFreeAsync(x, a_);
  Launch(a_, Fill, 0, x);
  CloseExpecting("use after free");
}

TEST_P(DoubleTest, FindsAnEndThatDoesNotWaitForAReader) {
  const CudaAddress x = New(a_), y = New(b_);
  Launch(a_, Fill, 0, x);
  Follow(a_, b_);
  Launch(b_, AddOne, x, y);
  d_.cuMemFreeAsync(x, a_);
  // The schedule determines what runs first; the error is found either way.
  CloseExpecting(GetParam() == std::string("eager") ? "unordered free" : "use after free");
}

TEST_P(DoubleTest, FindsWhatIsFreedTwiceAndWhatNobodyFrees) {
  const CudaAddress x = New(a_);
  New(a_);
  d_.cuMemFreeAsync(x, a_);
  d_.cuMemFreeAsync(x, a_);
  CloseExpecting("double free");
  ExpectReport("leak");
}

TEST_P(DoubleTest, FindsTheDefaultStreamAnEventOfNobodyAndAThreadWithoutContext) {
  d_.cuStreamSynchronize(nullptr);
  ExpectReport("default stream");
  d_.cuStreamWaitEvent(a_, event_, 0);
  ExpectReport("event");
  d_.cuCtxPopCurrent(&context_);
  EXPECT_EQ(d_.cuStreamSynchronize(a_), 201);
  ExpectReport("no context");
}

TEST_P(DoubleTest, FindsAKernelThatLeavesItsMemory) {
  const CudaAddress x = New(a_);
  Launch(a_, Fill, 0, x, 4096);
  EXPECT_EQ(d_.cuStreamSynchronize(a_), 700);
  EXPECT_EQ(d_.cuStreamSynchronize(b_), 700) << "the error sticks";
  ExpectReport("kernel");
}

TEST_P(DoubleTest, FindsTheCpuInTheMemoryOfTheCard) {
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(New(a_)) = 1, "");
  ExpectReport("CPU touch");
}

// With settings of its own, so each test opens the driver itself.
class DoubleSettingsTest : public DoubleTest {
  void SetUp() override {}
};

TEST_P(DoubleSettingsTest, FailsAtTheCallThatTheSettingsName) {
  setenv("OPSRUN_DOUBLE_FAIL", "cuEventCreate:2:46", 1);
  Open();
  CudaEvent more = nullptr;
  EXPECT_EQ(d_.cuEventCreate(&more, 0), 46);
  EXPECT_EQ(d_.cuEventCreate(&more, 0), 0);
}

TEST_P(DoubleSettingsTest, FailsLateAtTheKernelThatTheSettingsName) {
  setenv("OPSRUN_DOUBLE_LATE", "2", 1);
  Open();
  const CudaAddress x = New(a_);
  EXPECT_EQ(Launch(a_, Fill, 0, x), 0);
  EXPECT_EQ(d_.cuStreamSynchronize(a_), 0);
  Launch(a_, Fill, 0, x);
  EXPECT_EQ(d_.cuStreamSynchronize(a_), 700);
}

TEST_P(DoubleSettingsTest, GivesOutNoMoreThanACardHas) {
  setenv("OPSRUN_DOUBLE_MEMORY", "500", 1);
  Open();
  CudaAddress more = New(a_);
  EXPECT_EQ(d_.cuMemAllocFromPoolAsync(&more, 400, pool_, a_), kCudaOutOfMemory);
}

class CaptureTest : public DoubleTest {
 protected:
  // Allocates two blocks, and begins to capture stream a.
  void Begin() {
    x_ = New(a_);
    y_ = New(a_);
    d_.cuMemcpyHtoDAsync(x_, zeros_, kN * sizeof(int), a_);
    EXPECT_EQ(d_.cuStreamBeginCapture(a_, kCudaCaptureThreadLocal), 0);
  }
  int End() {
    CudaGraph graph = nullptr;
    const int error = d_.cuStreamEndCapture(a_, &graph);
    if (error == 0) {
      EXPECT_EQ(d_.cuGraphInstantiateWithFlags(&exec_, graph, 0), 0);
      d_.cuGraphDestroy(graph);
    }
    return error;
  }
  int Result() {
    CopyOut(x_, a_);
    d_.cuStreamSynchronize(a_);
    return host_[0];
  }
  void ExpectToAddTwoEachTime() {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(d_.cuGraphLaunch(exec_, a_), 0);
    EXPECT_EQ(Result(), 6);
    d_.cuGraphExecDestroy(exec_);
    CloseExpecting();
  }
  // Of the blocks too.
  void CloseExpecting(const std::string& kind = "") {
    d_.cuMemFreeAsync(x_, a_);
    d_.cuMemFreeAsync(y_, a_);
    DoubleTest::CloseExpecting(kind);
  }

  CudaAddress x_ = 0, y_ = 0;
  CudaGraphExec exec_ = nullptr;
};

TEST_P(CaptureTest, DoesNothingBeforeItIsLaunchedAndThenAsOftenAsItIs) {
  Begin();
  Launch(a_, AddOne, x_, y_);
  Launch(a_, AddOne, y_, x_);
  ASSERT_EQ(End(), 0);
  EXPECT_EQ(Result(), 0);
  ExpectToAddTwoEachTime();
}

TEST_P(CaptureTest, TakesAStreamAlongThatComesBack) {
  Begin();
  Follow(a_, b_);
  Launch(b_, AddOne, x_, y_);
  Follow(b_, a_);
  Launch(a_, AddOne, y_, x_);
  ASSERT_EQ(End(), 0);
  ExpectToAddTwoEachTime();
}

TEST_P(CaptureTest, FindsAWaitThatIsMissingInTheGraph) {
  Begin();
  Follow(a_, b_);
  Launch(b_, AddOne, x_, y_);
  Launch(a_, AddOne, y_, x_);
  Follow(b_, a_);
  ASSERT_EQ(End(), 0);
  d_.cuGraphLaunch(exec_, a_);
  d_.cuStreamSynchronize(a_);
  ExpectReport("missing wait");
}

TEST_P(CaptureTest, FindsAStreamThatDoesNotComeBack) {
  Begin();
  Follow(a_, b_);
  Launch(b_, AddOne, x_, y_);
  EXPECT_EQ(End(), 904);
  ExpectReport("capture");
}

TEST_P(CaptureTest, FindsAnEventOfElsewhere) {
  Begin();
  Follow(b_, a_);
  EXPECT_EQ(End(), 901);
  ExpectReport("capture");
}

TEST_P(CaptureTest, FindsWhatDoesNotGoIntoAGraph) {
  const std::function<int()> calls[] = {
      [&] { return d_.cuStreamSynchronize(a_); },
      [&] { return d_.cuMemAllocFromPoolAsync(&y_, 8, pool_, a_); },
      [&] { return d_.cuMemFreeAsync(y_, a_); },
      [&] { return d_.cuMemAlloc(&y_, 8); },
      [&] { return d_.cuMemFree(y_); },
      [&] { return d_.cuMemAllocHost(reinterpret_cast<void**>(&host_), 8); },
      [&] { return d_.cuMemFreeHost(host_); },
      [&] { return d_.cuMemcpyHtoDAsync(x_, this, 8, a_); },
      [&] { return d_.cuMemcpyDtoHAsync(&y_, x_, 8, a_); },
      [&] { return d_.cuStreamBeginCapture(a_, kCudaCaptureThreadLocal); },
      [&] { return d_.cuEventRecord(event_, a_), d_.cuEventSynchronize(event_); },
      [&] { return d_.cuEventRecord(event_, a_), d_.cuEventQuery(event_); },
  };
  Begin();
  for (const auto& call : calls) {
    EXPECT_EQ(call(), 900) << &call - calls;
    EXPECT_EQ(End(), 901) << &call - calls;
    EXPECT_EQ(d_.cuStreamBeginCapture(a_, kCudaCaptureThreadLocal), 0);
  }
  EXPECT_EQ(End(), 0);
  ExpectReport("capture");
}

TEST_P(CaptureTest, FindsAGraphThatNobodyDestroys) {
  Begin();
  ASSERT_EQ(End(), 0);
  CloseExpecting("leak");
}

INSTANTIATE_TEST_SUITE_P(Schedules, CaptureTest, ::testing::Values("eager", "lazy"),
                         [](const auto& schedule) { return std::string(schedule.param); });
INSTANTIATE_TEST_SUITE_P(Schedules, DoubleTest, ::testing::Values("eager", "lazy"),
                         [](const auto& schedule) { return std::string(schedule.param); });
INSTANTIATE_TEST_SUITE_P(Schedules, DoubleSettingsTest, ::testing::Values("eager", "lazy"),
                         [](const auto& schedule) { return std::string(schedule.param); });

}  // namespace
}  // namespace opsrun::host
