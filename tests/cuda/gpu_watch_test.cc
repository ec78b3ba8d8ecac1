// tests/cuda/gpu_watch_test.cc: which CUDA calls of a kernel cause warnings. Built with the CUDA runtime and with its
// replacement; it needs neither a card nor the fake driver, because the calls may fail.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/internal/gpu_runtime.h"

void LaunchNothing(cudaStream_t stream);
opsrun::Status LaunchNothingByHelper(cudaStream_t stream);

namespace opsrun::internal {
namespace {

std::vector<std::string> logged;

void Log(const opsrun_host*, void*, int32_t severity, opsrun_str text, opsrun_str, uint32_t) {
  logged.emplace_back(std::string(severity == OPSRUN_LOG_WARNING ? "" : "not a warning: ") +
                      std::string(text.data, text.size));
}

// The log while `body` runs as the Compute of a kernel object.
std::vector<std::string> Watched(const std::function<void()>& body, uint32_t* told,
                                 int32_t device = OPSRUN_DEVICE_CUDA) {
  opsrun_host host = {};
  host.log = Log;
  opsrun_call call = {};
  call.host = &host;
  call.device.type = device;
  logged.clear();
  {
    const GpuWatch watch(&call, told);
    body();
  }
  cudaGetLastError();
  return logged;
}
std::vector<std::string> Watched(const std::function<void()>& body) {
  uint32_t told = 0;
  return Watched(body, &told);
}

bool IsOnly(const std::vector<std::string>& lines, const std::string& begin) {
  return lines.size() == 1 && lines[0].rfind(begin, 0) == 0;
}

TEST(GpuWatch, TellsOfEachCallThatWaits) {
  EXPECT_TRUE(
      IsOnly(Watched([] { cudaDeviceSynchronize(); }), "the kernel waits for the GPU in cudaDeviceSynchronize,"));
  EXPECT_TRUE(IsOnly(Watched([] { cudaStreamSynchronize(nullptr); }),
                     "the kernel waits for the GPU in cudaStreamSynchronize,"));
  EXPECT_TRUE(IsOnly(Watched([] { cudaFree(nullptr); }), "the kernel waits for the GPU in cudaFree,"));
}

TEST(GpuWatch, TellsOfEachWayToUseADefaultStream) {
  char memory[4] = {};
  for (const uintptr_t number : {0, 1, 2}) {
    const auto stream = reinterpret_cast<cudaStream_t>(number);
    EXPECT_TRUE(IsOnly(Watched([&] { LaunchNothing(stream); }), "the kernel uses the default stream in kernel<<<"));
    EXPECT_TRUE(IsOnly(Watched([&] { (void)LaunchNothingByHelper(stream); }),
                       "the kernel uses the default stream in GpuLaunchKernel,"));
    EXPECT_TRUE(IsOnly(Watched([&] { cudaMemsetAsync(memory, 0, 0, stream); }),
                       "the kernel uses the default stream in cudaMemsetAsync,"));
    EXPECT_TRUE(IsOnly(Watched([&] { cudaMemcpyAsync(memory, memory, 0, cudaMemcpyHostToHost, stream); }),
                       "the kernel uses the default stream in cudaMemcpyAsync,"));
  }
  EXPECT_TRUE(IsOnly(Watched([&] { cudaMemcpy(memory, memory, 0, cudaMemcpyHostToHost); }),
                     "the kernel uses the default stream in cudaMemcpy,"));
  EXPECT_TRUE(IsOnly(Watched([&] { cudaMemset(memory, 0, 0); }), "the kernel uses the default stream in cudaMemset,"));
}

TEST(GpuWatch, SaysNothingOfTheStreamOfTheCall) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) GTEST_SKIP() << "a card would look at a stream that is none";
  alignas(64) char memory[64] = {};
  const auto stream = reinterpret_cast<cudaStream_t>(memory);
  EXPECT_TRUE(Watched([&] {
                LaunchNothing(stream);
                (void)LaunchNothingByHelper(stream);
                cudaMemsetAsync(memory, 0, 0, stream);
                cudaMemcpyAsync(memory, memory, 0, cudaMemcpyHostToHost, stream);
              }).empty());
}

TEST(GpuWatch, TellsOfAFaultOncePerKernelObject) {
  uint32_t told = 0;
  const auto body = [] {
    cudaDeviceSynchronize();
    cudaDeviceSynchronize();
    LaunchNothing(nullptr);
  };
  EXPECT_EQ(Watched(body, &told).size(), 2U);
  EXPECT_TRUE(Watched(body, &told).empty());
}

TEST(GpuWatch, SaysNothingOutsideAComputeOfTheGpu) {
  uint32_t told = 0;
  EXPECT_TRUE(Watched([] { cudaDeviceSynchronize(); }, &told, OPSRUN_DEVICE_CPU).empty());
  cudaDeviceSynchronize();
  EXPECT_EQ(told, 0U);
}

}  // namespace
}  // namespace opsrun::internal
