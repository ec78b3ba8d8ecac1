// tests/cuda/emulation_kernels.cu.cc: the emulation runs kernels as a card does, and shows what a card would not
// forgive.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "host/device/cuda_device.h"
#include "opsrun/gpu_kernel_helper.h"
#include "tests/cuda/fake_driver.h"

namespace {

using namespace opsrun;

template <int kThreads, bool kWaits>
__global__ void SumTiles(int n, const int* in, int* sums) {
  __shared__ int tile[kThreads];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  tile[threadIdx.x] = i < n ? in[i] : 0;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (kWaits) __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) tile[threadIdx.x] += tile[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tile[0];
}

__global__ void SumWarps(int n, const int* in, int* sum) {
  extern __shared__ int partial[];
  int value = 0;
  for (int i : GpuGridRangeX<int>(n)) value += ldg(in + i);
  for (int offset = 16; offset > 0; offset /= 2) value += GpuShuffleDownSync(kGpuWarpAll, value, offset);
  if (GpuLaneId() == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) GpuAtomicAdd(sum, partial[warp]);
}

__global__ void CountByLoop(int n, int* counts) {
  CUDA_1D_KERNEL_LOOP(i, n) {
    counts[i] += 1;
  }
}

__global__ void CountInTwoDimensions(int columns, int rows, int* counts) {
  CUDA_AXIS_KERNEL_LOOP(y, rows, Y) {
    CUDA_AXIS_KERNEL_LOOP(x, columns, X) {
      counts[y * columns + x] += 1;
    }
  }
}

__global__ void Largest(int n, const float* in, float* largest) {
  CUDA_1D_KERNEL_LOOP(i, n) {
    GpuAtomicMax(largest, in[i]);
  }
}

// Every thread changes the same number: with a hardware instruction, or with a compare-and-swap loop.
template <typename T>
__global__ void ChangeByAll(T* numbers) {
  GpuAtomicAdd(numbers + 0, T(2));
  GpuAtomicSub(numbers + 1, T(1));
  GpuAtomicMax(numbers + 2, T(static_cast<int>(threadIdx.x)));
  GpuAtomicMin(numbers + 3, T(static_cast<int>(threadIdx.x)));
  if (threadIdx.x < 3) GpuAtomicMul(numbers + 4, T(2));
  if (threadIdx.x < 3) GpuAtomicDiv(numbers + 5, T(2));
}

__global__ void AddComplex(std::complex<float>* sum) {
  GpuAtomicAdd(sum, std::complex<float>(1, -1));
}

__global__ void VoteForOdd(unsigned* ballot) {
  const unsigned votes = GpuBallotSync(kGpuWarpAll, threadIdx.x % 2);
  if (threadIdx.x == 3) *ballot = votes;
}

__global__ void EndBeforeTheBarrier() {
  if (threadIdx.x < 7) __syncwarp(0xff);
}
__global__ void WaitAtDifferentBarriers() {
  if (threadIdx.x < 7) {
    __syncwarp(0xff);
  } else {
    __syncthreads();
  }
}

__global__ void NeverEnd() {
  volatile bool ends = false;
  while (!ends) {
  }
}

// A card with some memory, and the results.
class EmulationTest : public ::testing::TestWithParam<const char*> {
 protected:
  EmulationTest() {
    setenv("OPSRUN_DOUBLE_THREADS", GetParam(), 1);
    setenv("OPSRUN_DOUBLE_SECONDS", "2", 1);
    opened_ = host::OpenCudaDevice(0);
    device_ = opened_->get();
    EXPECT_TRUE(device_->Attach().ok());
    stream_ = *device_->TakeStream();
  }
  ~EmulationTest() override {
    for (void* memory : memory_) device_->Free(memory, stream_);
    EXPECT_TRUE(device_->Drain(stream_).ok() || fails_);
    device_->GiveStream(stream_);
    device_->Detach();
  }

  cudaStream_t stream() const { return static_cast<cudaStream_t>(stream_); }
  template <typename T>
  T* Put(const std::vector<T>& values) {
    memory_.push_back(device_->Allocate(values.size() * sizeof(T), stream_));
    EXPECT_TRUE(
        device_->Copy(host::Device::Direction::kIn, memory_.back(), values.data(), values.size() * sizeof(T), stream_)
            .ok());
    return static_cast<T*>(memory_.back());
  }
  template <typename T>
  std::vector<T> Get(const T* memory, size_t n) {
    std::vector<T> values(n);
    EXPECT_TRUE(device_->Copy(host::Device::Direction::kOut, values.data(), memory, n * sizeof(T), stream_).ok());
    EXPECT_TRUE(device_->Drain(stream_).ok());
    return values;
  }
  static std::vector<int> UpTo(int n) {
    std::vector<int> numbers(static_cast<size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
  }

  const host::DriverReports reports_;
  host::Result<std::unique_ptr<host::Device>> opened_ = host::InvalidArgument("");
  host::Device* device_ = nullptr;
  host::Stream stream_ = nullptr;
  std::vector<void*> memory_;
  bool fails_ = false;
};

TEST_P(EmulationTest, BlocksShareMemoryAndWaitForEachOther) {
  const int* in = Put(UpTo(200));
  int* sums = Put(std::vector<int>(4));
  SumTiles<64, true><<<4, 64, 0, stream()>>>(200, in, sums);
  const std::vector<int> found = Get(sums, 4);
  EXPECT_EQ(std::accumulate(found.begin(), found.end(), 0), 200 * 201 / 2);
  EXPECT_EQ(found[0], 64 * 65 / 2);
}

TEST_P(EmulationTest, WarpsExchangeAndAtomicsAdd) {
  const int* in = Put(UpTo(1000));
  int* sum = Put(std::vector<int>(1));
  EXPECT_TRUE(GpuLaunchKernel(SumWarps, dim3(3), dim3(64), 2 * sizeof(int), stream(), 1000, in, sum).ok());
  EXPECT_EQ(Get(sum, 1)[0], 1000 * 1001 / 2);
}

TEST_P(EmulationTest, LoopsSeeEveryElementOnce) {
  for (const int n : {1, 31, 32, 33, 1000}) {
    int* counts = Put(std::vector<int>(static_cast<size_t>(n)));
    CountByLoop<<<2, 32, 0, stream()>>>(n, counts);
    EXPECT_EQ(Get(counts, static_cast<size_t>(n)), std::vector<int>(static_cast<size_t>(n), 1)) << n;
  }
  int* counts = Put(std::vector<int>(7 * 5));
  CountInTwoDimensions<<<dim3(2, 2), dim3(2, 2), 0, stream()>>>(7, 5, counts);
  EXPECT_EQ(Get(counts, 35), std::vector<int>(35, 1));
}

TEST_P(EmulationTest, FloatsHaveAMaximumAndVotesABallot) {
  const float* in = Put(std::vector<float>{1.5f, -2, 7.25f, 3});
  float* largest = Put(std::vector<float>{-100});
  Largest<<<1, 4, 0, stream()>>>(4, in, largest);
  EXPECT_EQ(Get(largest, 1)[0], 7.25f);
  unsigned* ballot = Put(std::vector<unsigned>(1));
  VoteForOdd<<<1, 32, 0, stream()>>>(ballot);
  EXPECT_EQ(Get(ballot, 1)[0], 0xaaaaaaaau);
}

template <typename T>
void ExpectChanges(const std::vector<T>& found) {
  EXPECT_EQ(found, (std::vector<T>{T(64 + 1), T(100 - 32), T(31), T(0), T(8), T(2)}));
}

TEST_P(EmulationTest, AtomicsChangeNumbersOfEverySize) {
  const auto changed = [this](auto one) {
    using T = decltype(one);
    T* numbers = Put(std::vector<T>{one, T(100), T(5), T(5), one, T(16)});
    ChangeByAll<T><<<1, 32, 0, stream()>>>(numbers);
    ExpectChanges(Get(numbers, 6));
  };
  changed(1);
  changed(1u);
  changed(int64_t{1});
  changed(uint64_t{1});
  changed(int16_t{1});
  changed(1.0f);
  changed(1.0);
  std::complex<float>* sum = Put(std::vector<std::complex<float>>{{0, 0}});
  AddComplex<<<1, 32, 0, stream()>>>(sum);
  EXPECT_EQ(Get(sum, 1)[0], std::complex<float>(32, -32));
}

TEST_P(EmulationTest, FillsMemory) {
  int* numbers = Put(UpTo(100));
  SetToValue<<<1, 32, 0, stream()>>>(100, numbers, 7);
  EXPECT_EQ(Get(numbers, 100), std::vector<int>(100, 7));
}

TEST_P(EmulationTest, ALaunchThatNoCardTakesIsAnErrorOfThatLaunchAlone) {
  int* sum = Put(std::vector<int>(1));
  const Status status = GpuLaunchKernel(CountByLoop, dim3(1), dim3(2048), 0, stream(), 1, sum);
  EXPECT_EQ(status.code(), error::INTERNAL);
  EXPECT_EQ(status.error_message(),
            "A CUDA kernel cannot be launched: invalid configuration argument (cudaErrorInvalidConfiguration)");
  EXPECT_TRUE(GpuLaunchKernel(CountByLoop, dim3(1), dim3(32), 0, stream(), 1, sum).ok()) << "the error was not cleared";
  CountByLoop<<<0, 32, 0, stream()>>>(1, sum);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_P(EmulationTest, ThreadsThatHaveEndedCountAtABarrier) {
  EndBeforeTheBarrier<<<1, 16, 0, stream()>>>();
  EXPECT_TRUE(device_->Drain(stream_).ok());
  EXPECT_EQ(reports_.Text(), "");
}

TEST_P(EmulationTest, ThreadsThatWaitForEachOtherAreReported) {
  WaitAtDifferentBarriers<<<1, 16, 0, stream()>>>();
  EXPECT_TRUE(device_->Drain(stream_).ok());
  EXPECT_NE(reports_.Text().find("wait at a barrier that others never reach"), std::string::npos) << reports_.Text();
}

TEST_P(EmulationTest, AKernelThatNeverEndsIsReported) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer keeps signals back until the program calls something";
#endif
  fails_ = true;
  NeverEnd<<<1, 1, 0, stream()>>>();
  EXPECT_FALSE(device_->Drain(stream_).ok());
  EXPECT_NE(reports_.Text().find("it does not end"), std::string::npos) << reports_.Text();
}

INSTANTIATE_TEST_SUITE_P(Threads, EmulationTest, ::testing::Values("forward", "reverse"),
                         [](const auto& order) { return std::string(order.param); });

class BarrierTest : public EmulationTest {};

// The effect of a missing barrier is visible in one of the two orders of threads.
TEST_P(BarrierTest, IsMissedInOneOrderOfThreads) {
  const int* in = Put(UpTo(64));
  int* sums = Put(std::vector<int>(1));
  SumTiles<64, false><<<1, 64, 0, stream()>>>(64, in, sums);
  const bool right = Get(sums, 1)[0] == 64 * 65 / 2;
  EXPECT_EQ(right, GetParam() == std::string("reverse"));
}

INSTANTIATE_TEST_SUITE_P(Threads, BarrierTest, ::testing::Values("forward", "reverse"),
                         [](const auto& order) { return std::string(order.param); });

}  // namespace
