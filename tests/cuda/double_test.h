// tests/cuda/double_test.h: a program on the fake driver, and what the driver reports about it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "host/device/cuda_driver.h"
#include "tests/cuda/double_calls.h"
#include "tests/cuda/reports_of_driver.h"

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

}  // namespace
}  // namespace opsrun::host
