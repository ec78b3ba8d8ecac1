// SPDX-License-Identifier: Apache-2.0
#include "host/cli/measure/machine.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "host/cli/measure/measure.h"
#include "host/device/device.h"

namespace opsrun::host {
namespace {

constexpr int64_t kMeasureNs = 60'000'000;

Summary TimesOf(const std::function<void()>& work) {
  const RunBatch run = [&](uint32_t runs) {
    for (uint32_t i = 0; i < runs; ++i) work();
    return true;
  };
  const std::optional<double> warm = WarmUp(run, kMeasureNs, NowNs);
  return Summarize(TakeSamples(run, *warm, kMeasureNs, NowNs)->samples);
}

// Keeps the compiler from leaving out what nobody reads.
void Use(const void* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

struct Copy {
  char* to;
  const char* from;
};

int32_t CopyRange(void* context, int64_t begin, int64_t end) {
  const auto* copy = static_cast<const Copy*>(context);
  std::memcpy(copy->to + begin, copy->from + begin, static_cast<size_t>(end - begin));
  Use(copy->to);
  return 0;
}

int32_t FillRange(void* to, int64_t begin, int64_t end) {
  std::memset(static_cast<char*>(to) + begin, 1, static_cast<size_t>(end - begin));
  Use(to);
  return 0;
}

constexpr int kRounds = 20'000;
// Enough multiplications at a time to hide how long one takes, in registers of any processor.
constexpr int kAtATime = 12;

// `Vector`: so many numbers at once. Always inlined, for the instructions of its caller. With constant indices, the
// sums stay in registers.
template <typename Vector, size_t... kIndices>
[[gnu::always_inline]] inline void Multiply(std::index_sequence<kIndices...>) {
  Vector sums[] = {Vector{} + static_cast<float>(kIndices)...};
  Vector factor = Vector{} + 0.999F, add = Vector{} + 0.001F;
  Use(&factor);  // their values are unknown
  Use(&add);
  const Vector by = factor, more = add;
  for (int round = 0; round < kRounds; ++round) ((sums[kIndices] = sums[kIndices] * by + more), ...);
  Use(sums);
}

template <typename Number, int kBytes>
struct VectorOf {
  typedef Number Type __attribute__((vector_size(kBytes)));
};

struct Multiplier {
  void (*run)();
  int bytes;  // of a vector
};

template <typename Number>
void MultiplyPlain() {
  Multiply<typename VectorOf<Number, 16>::Type>(std::make_index_sequence<kAtATime>());
}

#ifdef __x86_64__
template <typename Number>
[[gnu::target("avx2,fma")]] void MultiplyWithAvx2() {
  Multiply<typename VectorOf<Number, 32>::Type>(std::make_index_sequence<kAtATime>());
}

template <typename Number>
[[gnu::target("avx512f,fma")]] void MultiplyWithAvx512() {
  Multiply<typename VectorOf<Number, 64>::Type>(std::make_index_sequence<kAtATime>());
}
#endif

// Those that this processor has. The widest vectors need not be the fastest.
template <typename Number>
std::vector<Multiplier> Multipliers() {
  std::vector<Multiplier> all = {{MultiplyPlain<Number>, 16}};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back({MultiplyWithAvx2<Number>, 32});
  if (__builtin_cpu_supports("avx512f")) all.push_back({MultiplyWithAvx512<Number>, 64});
#endif
  return all;
}

int32_t MultiplyRange(void* context, int64_t begin, int64_t end) {
  for (; begin < end; ++begin) static_cast<const Multiplier*>(context)->run();
  return 0;
}

// Memory as tensors have it: the system may use larger pages for it than for that of malloc.
struct CopyBlock {
  CopyBlock(Device& its_device, size_t bytes) : device(its_device), memory(device.Allocate(bytes, kNoStream)) {}
  CopyBlock(const CopyBlock&) = delete;
  ~CopyBlock() { device.Free(memory, kNoStream); }
  Device& device;
  void* const memory;
};

}  // namespace

namespace {

// The times of a function of ranges of bytes, on one thread or on all of the pool, whichever is faster.
Summary TimesOfRanges(RangeFn range, void* context, size_t bytes, ThreadPool& pool) {
  const auto size = static_cast<int64_t>(bytes);
  const Summary alone = TimesOf([&] { range(context, 0, size); });
  constexpr int64_t kPiece = 4096;
  if (pool.threads() == 1 || size < kPiece * 16) return alone;
  struct Pieces {
    RangeFn range;
    void* context;
    int64_t size;
  } pieces{range, context, size};
  const auto run = [](void* all, int64_t begin, int64_t end) {
    const auto& [each, of, whole] = *static_cast<const Pieces*>(all);
    return each(of, begin * kPiece, std::min(end * kPiece, whole));
  };
  const Summary together = TimesOf([&] { ParallelFor(pool, (size + kPiece - 1) / kPiece, 400, run, &pieces); });
  return alone.median < together.median ? alone : together;
}

}  // namespace

double CopyNs(size_t bytes, ThreadPool& pool) {
  const std::unique_ptr<Device> device = OpenCpuDevice();
  const CopyBlock to(*device, bytes), from(*device, bytes);
  if (to.memory == nullptr || from.memory == nullptr) return 0;
  std::memset(from.memory, 1, bytes);
  Copy copy{static_cast<char*>(to.memory), static_cast<const char*>(from.memory)};
  return TimesOfRanges(CopyRange, &copy, bytes, pool).median;
}

double FillNs(size_t bytes, ThreadPool& pool) {
  const std::unique_ptr<Device> device = OpenCpuDevice();
  const CopyBlock to(*device, bytes);
  if (to.memory == nullptr || bytes == 0) return 0;
  return TimesOfRanges(FillRange, to.memory, bytes, pool).min;
}

double PeakFlops(bool wide, ThreadPool& pool) {
  const int64_t calls = int64_t{4} * pool.threads();
  constexpr int64_t kCallNs = 100'000;
  double most = 0;
  for (Multiplier multiplier : wide ? Multipliers<double>() : Multipliers<float>()) {
    const double ns = TimesOf([&] { ParallelFor(pool, calls, kCallNs, MultiplyRange, &multiplier); }).min;
    const double operations = 2.0 * kAtATime * kRounds * multiplier.bytes / (wide ? 8 : 4);
    most = std::max(most, operations * static_cast<double>(calls) / ns * 1e9);
  }
  return most;
}

}  // namespace opsrun::host
