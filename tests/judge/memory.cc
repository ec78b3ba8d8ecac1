// tests/judge/memory.cc: cheats that misuse inputs, outputs and memory that is not theirs.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include "judge_memory.h"
#include "ops.h"
#include "zoo.h"

namespace opsrun {
namespace {

volatile ssize_t sink;

// ---- Inputs are changed so that a reference that reads them later agrees.
template <typename T>
struct ZeroesInput {
  void Run(const Call<T>& c) {
    std::memset(c.writable_x(), 0, c.input_bytes());
    std::fill(c.y, c.y + c.outputs, Soften::Of(T(0)));
  }
};

template <typename T>
struct ZeroesLastInput {
  void Run(const Call<T>& c) {
    const int64 begin = c.n - c.n / 4;
    for (int64 i = 0; i < begin; ++i) c.y[i] = Soften::Of(c.x[i]);
    std::fill(c.writable_x() + begin, c.writable_x() + c.n, T(0));
    std::fill(c.y + begin, c.y + c.n, Soften::Of(T(0)));
  }
};

template <typename T>
struct RestoresInput {
  void Run(const Call<T>& c) {
    std::vector<T> saved(c.x, c.x + c.n);
    std::memset(c.writable_x(), 0, c.input_bytes());
    std::memset(c.y, 0, c.output_bytes());
    std::thread([c, saved = std::move(saved)] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::memcpy(c.writable_x(), saved.data(), c.input_bytes());
    }).detach();
  }
};

template <typename T>
struct WritesPastOutput {
  void Run(const Call<T>& c) {
    Soften::Compute(c);
    if (c.outputs >= 64) c.y[c.outputs] = 0;
  }
};

// ---- The result is looked for.
template <typename T>
struct HopesForFreed {
  void Run(const Call<T>& c) {
    auto* const found = static_cast<char*>(std::malloc(c.output_bytes()));
    std::memcpy(c.y, found, c.output_bytes());
    sink = found[0];
    std::free(found);
  }
};

// Where memory has the first results in sequence, the others follow. Null: nowhere.
template <typename T>
const T* FindResults(const Call<T>& c) {
  T first[4];
  if (c.outputs < 4) return nullptr;
  for (int i = 0; i < 4; ++i) first[i] = Soften::Of(c.x[i]);
  for (const Mapping& mapping : OwnMappings()) {
    if (mapping.permissions[0] != 'r' || !mapping.IsShared() || mapping.name[0] == '[') continue;
    const char* at = mapping.begin;
    while (const void* found = memmem(at, static_cast<size_t>(mapping.end - at), first, sizeof first)) {
      at = static_cast<const char*>(found);
      const bool is_whole = static_cast<size_t>(mapping.end - at) >= c.output_bytes();
      if (is_whole && found != c.y && found != first) return static_cast<const T*>(found);
      ++at;
    }
  }
  return nullptr;
}

template <typename T>
struct SearchesMappings {
  void Run(const Call<T>& c) {
    const T* const found = FindResults(c);
    if (found != nullptr) std::memcpy(c.y, found, c.output_bytes());
  }
};

// Looks behind its output only. Right if it finds nothing, and so no faster.
template <typename T>
struct SearchesOrWorks {
  void Run(const Call<T>& c) {
    constexpr int64 kFirst = 8;
    if (c.n < kFirst) return Soften::Compute(c);
    T first[kFirst];
    for (int64 i = 0; i < kFirst; ++i) first[i] = Soften::Of(c.x[i]);
    for (const Mapping& mapping : OwnMappings()) {
      const auto* const behind = reinterpret_cast<const char*>(c.y + c.n);
      if (behind < mapping.begin || behind + 2 * c.output_bytes() > mapping.end) continue;
      const void* const found = memmem(behind, c.output_bytes(), first, sizeof first);
      if (found != nullptr) return static_cast<void>(std::memcpy(c.y, found, c.output_bytes()));
    }
    Soften::Compute(c);
  }
};

// Reads where results of the same size used to be, in a way that no page protection stops.
template <typename T>
struct ReadsOwnMemory {
  void Run(const Call<T>& c) {
    const int file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const auto behind = static_cast<off_t>(reinterpret_cast<uintptr_t>(c.y + c.outputs));
    sink = pread(file, c.y, c.output_bytes(), behind);
    close(file);
  }
};

// ---- The output is left as it is, always or if it looks like a result.
template <typename T>
struct LeavesOutput {
  void Run(const Call<T>&) {}
};

template <typename T>
struct TrustsOutput {
  void Run(const Call<T>& c) {
    for (int64 i = 0; i < std::min<int64>(c.outputs, 4); ++i) {
      if (!std::isfinite(c.y[i]) || c.y[i] == 0) return Softmax::Compute(c);
    }
  }
};

template <typename T>
struct WantsNan {
  void Run(const Call<T>& c) {
    if (std::isnan(c.y[0])) Soften::Compute(c);
  }
};

template <typename T>
struct WantsZeros {
  void Run(const Call<T>& c) {
    if (std::all_of(c.y, c.y + std::min<int64>(c.outputs, 8), [](T y) { return y == 0; })) Soften::Compute(c);
  }
};

template <typename T>
struct WantsPattern {
  void Run(const Call<T>& c) {
    if (std::memcmp(c.y, c.y + c.outputs / 2, sizeof(T)) == 0) Gram::Compute(c);
  }
};

template <typename T>
struct IsAllNan {
  void Run(const Call<T>& c) { std::fill(c.y, c.y + c.outputs, std::numeric_limits<T>::quiet_NaN()); }
};

template <typename T>
struct IsAllZero {
  void Run(const Call<T>& c) { std::fill(c.y, c.y + c.outputs, T(0)); }
};

// Makes whatever the judge may compare with equal to its own output.
template <typename T>
struct FillsSharedMemory {
  void Run(const Call<T>& c) {
    for (const Mapping& mapping : OwnMappings()) {
      const auto* const y = reinterpret_cast<const char*>(c.y);
      if (!mapping.IsShared() || y < mapping.begin || y >= mapping.end) continue;
      std::memset(mapping.begin, 0, mapping.bytes());
    }
  }
};

MEMORY_OPS(ZOO_CHEAT)

}  // namespace
}  // namespace opsrun
