// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "host/cli/conform/test_host.h"

namespace opsrun::host {
namespace {

constexpr unsigned char kPattern = 0xC3;
constexpr size_t kSlackPages = 2;
constexpr size_t kMostKept = 64, kLargestKept = size_t{1} << 20;

size_t RoundUp(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

void Unmap(unsigned char* pages, size_t room) {
  munmap(pages - GuardedPages::Size(), room + 2 * GuardedPages::Size());
}

// memcmp of neighbors is much faster than a loop.
bool HasPattern(const unsigned char* begin, const unsigned char* end) {
  return begin == end ||
         (*begin == kPattern && std::memcmp(begin, begin + 1, static_cast<size_t>(end - begin) - 1) == 0);
}

}  // namespace

size_t GuardedPages::Size() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

GuardedPages::~GuardedPages() {
  for (const auto& [room, all] : kept_) {
    for (unsigned char* const pages : all) Unmap(pages, room);
  }
}

unsigned char* GuardedPages::Make(size_t room) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<unsigned char*>& kept = kept_[room];
    if (!kept.empty()) {
      unsigned char* const pages = kept.back();
      kept.pop_back();
      return pages;
    }
  }
  const size_t all = room + 2 * Size();
  void* const mapped = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  unsigned char* const pages = static_cast<unsigned char*>(mapped) + Size();
  if (mprotect(pages, room, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped, all);
    throw std::bad_alloc();
  }
  std::memset(pages, kPattern, room);
  return pages;
}

void GuardedPages::Free(unsigned char* pages, size_t room) {
  Unmap(pages, room);
}

void GuardedPages::Keep(unsigned char* pages, size_t room) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<unsigned char*>& kept = kept_[room];
    if (room <= kLargestKept && kept.size() < kMostKept) return kept.push_back(pages);
  }
  Unmap(pages, room);
}

GuardedBlock::GuardedBlock(GuardedPages& pages, size_t bytes, size_t alignment, Fit fit, uint8_t fill)
    : pages_(pages), bytes_(bytes), is_kept_(fit == Fit::kRoomy) {
  const size_t used = RoundUp(std::max<size_t>(bytes, 1), fit == Fit::kExact ? alignment : 64);
  const size_t slack = fit == Fit::kRoomy ? kSlackPages * GuardedPages::Size() : 0;
  room_ = RoundUp(used, GuardedPages::Size()) + 2 * slack;
  first_ = pages_.Make(room_);
  data_ = first_ + (fit == Fit::kAtStart ? 0 : room_ - used - slack);
  std::memset(data_, fill, bytes);
}

// Pages are kept only in ordinary calls: of the others, those that a kernel still uses in the next call are a crash.
GuardedBlock::~GuardedBlock() {
  if (is_kept_ && is_clean_) {
    std::memset(data_, kPattern, bytes_);
    pages_.Keep(first_, room_);
  } else {
    pages_.Free(first_, room_);
  }
}

std::string GuardedBlock::Damage() const {
  if (!HasPattern(first_, data_)) return "before the start";
  is_clean_ = HasPattern(data_ + bytes_, first_ + room_);
  return is_clean_ ? "" : "past the end";
}

void GuardedBlock::Protect() {
  is_kept_ = false;
  mprotect(first_, room_, PROT_READ);
}

}  // namespace opsrun::host
