// bench/gpu_reference.cc: what a GPU achieves without opsrun, for gpu_ops.py: copies by the driver, and products by
// cuBLAS.
//
// usage: gpu_reference BYTES SIZE LINKS
//   copies of BYTES, products of SIZE x SIZE matrices, LINKS at a time
//
// Prints a JSON object: the GPU, the driver, the seconds that making a context takes, bytes per second of each kind of
// copy ("copy": read and written), and multiplications and additions per second for each type. Without a GPU, prints the
// reason and exits with 77.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "host/device/cuda_device.h"
#include "plugins/math_ops/gpu_blas_library.h"

namespace {

using math_ops::GpuBlasLibrary;
using namespace opsrun::host;

constexpr int kTries = 11;

[[noreturn]] void Exit(int status, const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(status);
}

// The first GPU: makes its context current, and does all work on one stream.
class Card {
 public:
  explicit Card(const CudaDriver& driver) : driver_(driver) {
    int device = 0;
    Check(driver.cuDeviceGet(&device, 0), "cuDeviceGet");
    const auto begin = std::chrono::steady_clock::now();
    Check(driver.cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain");
    seconds_of_context_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    Check(driver.cuCtxPushCurrent(context_), "cuCtxPushCurrent");
    Check(driver.cuStreamCreate(&stream_, kCudaNonBlocking), "cuStreamCreate");
  }
  ~Card() {
    for (const CudaAddress address : memory_) driver_.cuMemFree(address);
    for (void* const memory : pinned_) driver_.cuMemFreeHost(memory);
    driver_.cuStreamDestroy(stream_);
    driver_.cuCtxPopCurrent(&context_);
    driver_.cuDevicePrimaryCtxRelease(0);
  }
  Card(const Card&) = delete;

  void Check(int error, const char* call) const {
    if (error != kCudaSuccess) Exit(1, "gpu_reference: " + driver_.StatusOf(error, call).message());
  }
  CudaAddress Take(size_t bytes) {
    Check(driver_.cuMemAlloc(&memory_.emplace_back(), bytes), "cuMemAlloc");
    return memory_.back();
  }
  // Fills memory with random bits that are finite numbers in any type, since a GPU gets slower if many bits change.
  // Only the highest bit of each exponent is not random.
  void* TakeNumbers(size_t bytes) {
    std::vector<unsigned char> numbers(bytes);
    std::minstd_rand random(1);
    for (size_t i = 0; i < bytes; ++i)
      numbers[i] = static_cast<unsigned char>(random() >> 8 & (i % 2 == 1 ? 0xbf : 0xff));
    const CudaAddress address = Take(bytes);
    Check(driver_.cuMemcpyHtoDAsync(address, numbers.data(), bytes, stream_), "cuMemcpyHtoDAsync");
    Check(driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize");
    return reinterpret_cast<void*>(address);
  }
  void* TakePinned(size_t bytes) {
    Check(driver_.cuMemAllocHost(&pinned_.emplace_back(), bytes), "cuMemAllocHost");
    return pinned_.back();
  }
  CudaStream stream() const { return stream_; }
  double seconds_of_context() const { return seconds_of_context_; }

  // The median time of one call of `enqueue` in seconds, measured as what twice as many calls add, so that fixed costs
  // are excluded.
  double Seconds(int links, const std::function<void()>& enqueue) const {
    std::vector<double> tries;
    TimeOf(links, enqueue);
    for (int i = 0; i < kTries; ++i) {
      const double once = TimeOf(links, enqueue);
      tries.push_back((TimeOf(2 * links, enqueue) - once) / links);
    }
    std::nth_element(tries.begin(), tries.begin() + kTries / 2, tries.end());
    return std::max(tries[kTries / 2], 1e-9);
  }

 private:
  double TimeOf(int links, const std::function<void()>& enqueue) const {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < links; ++i) enqueue();
    Check(driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  const CudaDriver& driver_;
  CudaContext context_ = nullptr;
  CudaStream stream_ = nullptr;
  double seconds_of_context_ = 0;
  std::vector<CudaAddress> memory_;
  std::vector<void*> pinned_;
};

void MeasureCopies(const CudaDriver& driver, Card& card, size_t bytes, int links, nlohmann::json& result) {
  const CudaAddress from = card.Take(bytes), to = card.Take(bytes);
  void* const host = card.TakePinned(bytes);
  std::fill_n(static_cast<char*>(host), bytes, 0);
  const auto rate = [&](double moved, const std::function<void()>& copy) { return moved / card.Seconds(links, copy); };
  const auto size = static_cast<double>(bytes);
  result["to_card"] =
      rate(size, [&] { card.Check(driver.cuMemcpyHtoDAsync(from, host, bytes, card.stream()), "cuMemcpyHtoDAsync"); });
  result["copy"] = rate(
      2 * size, [&] { card.Check(driver.cuMemcpyDtoDAsync(to, from, bytes, card.stream()), "cuMemcpyDtoDAsync"); });
  result["from_card"] =
      rate(size, [&] { card.Check(driver.cuMemcpyDtoHAsync(host, to, bytes, card.stream()), "cuMemcpyDtoHAsync"); });
}

struct Type {
  const char* name;
  int element, bytes, computed_in;
};
constexpr Type kTypes[] = {{"float32", math_ops::kCublasFloat, 4, math_ops::kCublasAsFloat},
                           {"float64", math_ops::kCublasDouble, 8, math_ops::kCublasAsDouble},
                           {"float16", math_ops::kCublasHalf, 2, math_ops::kCublasAsFloat},
                           {"bfloat16", math_ops::kCublasBfloat16, 2, math_ops::kCublasAsFloat}};

void CheckCublas(int status, const char* call) {
  if (status != math_ops::kCublasSuccess) {
    Exit(1, fmt::format("gpu_reference: {} fails with {}", call, math_ops::CublasStatusText(status)));
  }
}

void MeasureProducts(const GpuBlasLibrary& library, math_ops::CublasHandle handle, Card& card, int n, int links,
                     nlohmann::json& result) {
  const size_t elements = static_cast<size_t>(n) * static_cast<size_t>(n);
  const double one = 1, zero = 0;
  const float float_one = 1, float_zero = 0;
  for (const Type& type : kTypes) {
    const bool is_double = type.computed_in == math_ops::kCublasAsDouble;
    const void* const alpha = is_double ? static_cast<const void*>(&one) : &float_one;
    const void* const beta = is_double ? static_cast<const void*>(&zero) : &float_zero;
    void* operands[3];
    for (void*& operand : operands) operand = card.TakeNumbers(elements * static_cast<size_t>(type.bytes));
    const double seconds = card.Seconds(links, [&] {
      CheckCublas(library.cublasGemmEx(handle, math_ops::kCublasPlain, math_ops::kCublasPlain, n, n, n, alpha,
                                       operands[0], type.element, n, operands[1], type.element, n, beta, operands[2],
                                       type.element, n, type.computed_in, math_ops::kCublasAnyAlgorithm),
                  "cublasGemmEx");
    });
    result[type.name] = 2.0 * n * n * n / seconds;
  }
}

// As in the plugin, with the workspace size that NVIDIA recommends for the newest GPUs.
void MeasureCublas(Card& card, int n, int links, nlohmann::json& result) {
  constexpr size_t kWorkspace = size_t{32} << 20;
  for (const int version : GpuBlasLibrary::kVersions) {
    std::string problem;
    math_ops::CublasHandle handle = nullptr;
    const auto library = GpuBlasLibrary::Open(version, &problem);
    if (library == nullptr || library->cublasCreate_v2(&handle) != math_ops::kCublasSuccess) continue;
    void* const workspace = reinterpret_cast<void*>(card.Take(kWorkspace));
    CheckCublas(library->cublasSetMathMode(handle, math_ops::kCublasNoRoundedParts), "cublasSetMathMode");
    CheckCublas(library->cublasSetStream_v2(handle, card.stream()), "cublasSetStream");
    CheckCublas(library->cublasSetWorkspace_v2(handle, workspace, kWorkspace), "cublasSetWorkspace");
    MeasureProducts(*library, handle, card, n, links, result["products"]);
    result["cublas"] = library->name();
    CheckCublas(library->cublasDestroy_v2(handle), "cublasDestroy");
    return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) Exit(2, "usage: gpu_reference BYTES SIZE LINKS");
  const opsrun::host::Result<CudaDriver> driver = CudaDriver::Load();
  if (!driver.ok()) Exit(77, driver.status().message());
  const CudaCards found = LookAtCudaCards();
  if (found.cards.empty()) Exit(77, found.problem.empty() ? "the CUDA driver finds no GPU" : found.problem);
  nlohmann::json result = {{"card", found.cards[0].name},
                           {"sm", found.cards[0].major * 10 + found.cards[0].minor},
                           {"cuda", fmt::format("{}.{}", found.version / 1000, found.version % 1000 / 10)}};
  const int links = std::atoi(argv[3]);
  {
    Card card(*driver);
    result["context"] = card.seconds_of_context();
    MeasureCopies(*driver, card, std::strtoull(argv[1], nullptr, 10), links, result);
  }
  {
    Card card(*driver);
    MeasureCublas(card, std::atoi(argv[2]), links, result);
  }
  fmt::print("{}\n", result.dump());
  return 0;
}
