// SPDX-License-Identifier: Apache-2.0
#include "host/cli/judge/turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

constexpr size_t kLine = 64;        // of a cache, and what surrounds each tensor
constexpr size_t kGap = 2 * kLine;  // between tensors, at least

size_t WholeLines(size_t bytes) {
  return (bytes + kLine - 1) / kLine * kLine;
}

// Also writes changed lines to memory.
void FlushFromCaches(const char* from, size_t bytes) {
#ifdef __x86_64__
  for (size_t at = 0; at < bytes; at += kLine) _mm_clflush(from + at);
  _mm_mfence();
#else
  // What is read instead pushes it out of any cache.
  static const std::vector<char> other(size_t{64} << 20, 1);
  int sum = 0;
  for (size_t at = 0; at < other.size(); at += kLine) sum += other[at];
  asm volatile("" : : "r"(sum), "r"(from) : "memory");
  static_cast<void>(bytes);
#endif
}

}  // namespace

size_t Turn::BytesFor(std::span<const TensorType> feeds, std::span<const TensorType> outputs, uint32_t calls) {
  size_t bytes = 0;
  for (const TensorType& type : feeds) bytes += WholeLines(type.bytes()) + kGap;
  for (const TensorType& type : outputs) bytes += WholeLines(type.bytes()) + kGap;
  return bytes * calls * 2 + (size_t{1} << 20);
}

Turn::Turn(Worker& worker, size_t begin, size_t size, Inputs feeds, std::span<const TensorType> outputs, uint32_t calls,
           uint64_t places, uint64_t bytes_seed)
    : worker_(worker), feeds_(std::move(feeds)), outputs_(outputs), calls_(calls), seed_(bytes_seed) {
  Draws draws(places);
  const size_t of_call = feeds_.size() / calls + outputs.size();
  for (uint32_t call = 0; call < calls; ++call) {
    for (size_t i = 0; i < feeds_.size() / calls; ++i)
      placed_.push_back({0, feeds_[call * (feeds_.size() / calls) + i].num_bytes()});
    for (const TensorType& output : outputs) placed_.push_back({0, output.bytes()});
  }
  size_t bytes = kGap;
  for (const Placed& each : placed_) bytes += WholeLines(each.bytes) + kGap;
  // Gaps of random sizes, and an order that is random too.
  std::vector<size_t> order(placed_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.Below(i)]);
  const size_t spare = (size - bytes) / kLine;
  const size_t most_gap = placed_.empty() ? 0 : spare / (2 * placed_.size());
  uint64_t at = begin + draws.Below(spare / 2 + 1) * kLine + kGap;
  for (const size_t i : order) {
    placed_[i].offset = at;
    at += WholeLines(placed_[i].bytes) + kGap + draws.Below(most_gap + 1) * kLine;
  }
  // The process has all feeds first, then all outputs.
  const size_t feeds_of_call = feeds_.size() / calls;
  for (size_t i = 0; i < placed_.size(); ++i) {
    if (i % of_call < feeds_of_call) places_.push_back(placed_[i].offset);
  }
  for (size_t i = 0; i < placed_.size(); ++i) {
    if (i % of_call >= feeds_of_call) places_.push_back(placed_[i].offset);
  }
}

void Turn::FillRandomly(uint64_t offset, size_t bytes) const {
  char* const to = worker_.tensors() + offset;
  for (size_t at = 0; at < bytes; at += 8) {
    const uint64_t bits = RandomBits(seed_, (offset + at) / 8);
    std::memcpy(to + at, &bits, std::min<size_t>(8, bytes - at));
  }
}

bool Turn::IsRandom(uint64_t offset, size_t bytes) const {
  const char* const from = worker_.tensors() + offset;
  for (size_t at = offset % 8 == 0 ? 0 : 8 - offset % 8; at < bytes; at += 8) {
    const uint64_t bits = RandomBits(seed_, (offset + at) / 8);
    if (std::memcmp(from + at, &bits, std::min<size_t>(8, bytes - at)) != 0) return false;
  }
  return true;
}

void Turn::Write(bool warm) {
  const size_t feeds_of_call = feeds_.size() / calls_, of_call = feeds_of_call + outputs_.size();
  for (size_t i = 0; i < placed_.size(); ++i) {
    const auto& [offset, bytes] = placed_[i];
    FillRandomly(offset - kLine, WholeLines(bytes) + 2 * kLine);
    const size_t in_call = i % of_call;
    if (in_call < feeds_of_call && bytes > 0)
      std::memcpy(worker_.tensors() + offset, feeds_[i / of_call * feeds_of_call + in_call].data(), bytes);
    if (!warm) FlushFromCaches(worker_.tensors() + offset - kLine, WholeLines(bytes) + 2 * kLine);
  }
}

std::string Turn::Changed() const {
  const size_t feeds_of_call = feeds_.size() / calls_, of_call = feeds_of_call + outputs_.size();
  for (size_t i = 0; i < placed_.size(); ++i) {
    const auto& [offset, bytes] = placed_[i];
    const size_t call = i / of_call, in_call = i % of_call;
    const bool is_feed = in_call < feeds_of_call;
    const std::string what = fmt::format("{} {} of call {}", is_feed ? "input" : "output",
                                         is_feed ? in_call : in_call - feeds_of_call, call);
    if (is_feed && bytes > 0 &&
        std::memcmp(worker_.tensors() + offset, feeds_[call * feeds_of_call + in_call].data(), bytes) != 0)
      return what;
    if (!IsRandom(offset - kLine, kLine)) return "the memory in front of " + what;
    const size_t rest = WholeLines(bytes) - bytes + kLine;
    if (!IsRandom(offset + bytes, rest)) return "the memory behind " + what;
  }
  return {};
}

Tensor Turn::Output(uint32_t call, size_t i) const {
  const size_t feeds_of_call = feeds_.size() / calls_;
  const Placed& placed = placed_[call * (feeds_of_call + outputs_.size()) + feeds_of_call + i];
  const std::shared_ptr<void> here(worker_.tensors() + placed.offset, [](void*) {});
  return *Tensor::Over(outputs_[i].dtype, outputs_[i].shape, here);
}

bool Turn::IsUnwritten(uint32_t call, size_t i, int64_t element) const {
  const size_t feeds_of_call = feeds_.size() / calls_;
  const Placed& placed = placed_[call * (feeds_of_call + outputs_.size()) + feeds_of_call + i];
  const size_t size = ElementBytes(outputs_[i].dtype);
  const uint64_t at = placed.offset + static_cast<uint64_t>(element) * size;
  for (size_t byte = 0; byte < size; ++byte) {
    const uint64_t bits = RandomBits(seed_, (at + byte) / 8);
    char bytes[8];
    std::memcpy(bytes, &bits, 8);
    if (worker_.tensors()[at + byte] != bytes[(at + byte) % 8]) return false;
  }
  return true;
}

}  // namespace opsrun::host
