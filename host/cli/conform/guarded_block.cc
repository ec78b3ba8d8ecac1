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

size_t RoundUp(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

GuardedBlock::GuardedBlock(size_t bytes, size_t alignment, Fit fit, uint8_t fill)
    : bytes_(bytes), page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
  const size_t used = RoundUp(std::max<size_t>(bytes, 1), fit == Fit::kExact ? alignment : 64);
  const size_t slack = fit == Fit::kRoomy ? kSlackPages * page_ : 0;
  room_ = RoundUp(used, page_) + 2 * slack;
  void* const all = mmap(nullptr, room_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  all_ = static_cast<unsigned char*>(all);
  if (mprotect(all_ + page_, room_, PROT_READ | PROT_WRITE) != 0) {
    munmap(all, room_ + 2 * page_);
    throw std::bad_alloc();
  }
  data_ = all_ + page_ + (fit == Fit::kAtStart ? 0 : room_ - used - slack);
  std::memset(all_ + page_, kPattern, room_);
  std::memset(data_, fill, bytes);
}

GuardedBlock::~GuardedBlock() {
  munmap(all_, room_ + 2 * page_);
}

std::string GuardedBlock::Damage() const {
  const auto other = [](unsigned char each) { return each != kPattern; };
  if (std::any_of(all_ + page_, data_, other)) return "before the start";
  return std::any_of(data_ + bytes_, all_ + page_ + room_, other) ? "past the end" : "";
}

void GuardedBlock::Protect() {
  mprotect(all_ + page_, room_, PROT_READ);
}

}  // namespace opsrun::host
