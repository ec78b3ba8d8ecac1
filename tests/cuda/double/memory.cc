// tests/cuda/double/memory.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/double/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace cuda_double {
namespace {

void* Map(size_t bytes, int protection, int flags, int file) {
  void* const at = mmap(nullptr, bytes, protection, flags | MAP_NORESERVE, file, 0);
  if (at == MAP_FAILED) std::abort();
  return at;
}

size_t RoundUp(size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

std::string Text(const Moment& moment) {
  return moment.what == nullptr ? "nothing" : moment.what;
}

}  // namespace

// Shared with the process of the kernels, a child of this one.
Memory::Memory(Reports& reports) : reports_(reports) {
  const int file = memfd_create("opsrun double", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, kBytes) != 0) std::abort();
  begin_ = reinterpret_cast<uintptr_t>(Map(kBytes, PROT_NONE, MAP_SHARED, file));
  private_ = static_cast<char*>(Map(kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file));
  close(file);
  next_ = begin_ + kPage;
  constexpr int kShared = MAP_SHARED | MAP_ANONYMOUS;
  pinned_ = static_cast<char*>(Map(kPinnedBytes, PROT_READ | PROT_WRITE, kShared, -1));
  shared_blocks_ =
      static_cast<SharedBlock*>(Map(kMostBlocks * sizeof(SharedBlock), PROT_READ | PROT_WRITE, kShared, -1));
  shared_count_ = static_cast<size_t*>(Map(kPage, PROT_READ | PROT_WRITE, kShared, -1));
}

uintptr_t Memory::Allocate(size_t bytes, int device, const Moment& made) {
  const size_t whole = RoundUp(bytes);
  if (whole > end() - next_ - kPage || *shared_count_ == kMostBlocks) return 0;
  const uintptr_t address = next_;
  next_ += whole + kPage;
  Block& block = blocks_[address];
  block.bytes = bytes;
  block.device = device;
  block.made = made;
  block.pages.resize(whole / kPage);
  used_[device] += bytes;
  shared_blocks_[(*shared_count_)++] = {address, address + whole};
  // What nobody has written is not zero. The rest of a large block costs time.
  std::memset(Private(address), 165, std::min(whole, 16 * kPage));
  return address;
}

Memory::Block* Memory::Find(uintptr_t address, uintptr_t* begin) {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const auto block = std::prev(after);
  *begin = block->first;
  return address < block->first + block->second.pages.size() * kPage ? &block->second : nullptr;
}

int Memory::DeviceOf(uintptr_t address) {
  uintptr_t begin = 0;
  const Block* const block = Find(address, &begin);
  return block == nullptr || block->is_free ? -1 : block->device;
}

std::string Memory::BlockText(uintptr_t address) const {
  uintptr_t begin = 0;
  const Block* block = const_cast<Memory*>(this)->Find(address, &begin);
  if (block == nullptr) return "no block";
  return "byte " + std::to_string(address - begin) + " of a block of " + std::to_string(block->bytes) +
         " bytes, allocated by " + Text(block->made);
}

bool Memory::Free(uintptr_t address, const Moment& ended, const Clock& clock) {
  uintptr_t begin = 0;
  Block* block = Find(address, &begin);
  if (block == nullptr || begin != address || block->is_free) {
    reports_.Add("double free", Text(ended) + " frees what is not allocated: " + BlockText(address));
    return false;
  }
  for (const Page& page : block->pages) {
    if (!page.writer.IsBefore(clock))
      reports_.Add("unordered free", Text(ended) + " does not wait for " + Text(page.writer));
    for (const Moment& reader : page.readers) {
      if (!reader.IsBefore(clock)) reports_.Add("unordered free", Text(ended) + " does not wait for " + Text(reader));
    }
  }
  block->is_free = true;
  block->ended = ended;
  used_[block->device] -= block->bytes;
  return true;
}

void Memory::Use(uintptr_t address, size_t bytes, bool wrote, const Moment& moment, const Clock& clock) {
  if (bytes == 0) return;
  uintptr_t begin = 0;
  Block* block = Find(address, &begin);
  if (block == nullptr || address + bytes > begin + block->pages.size() * kPage) {
    reports_.Add("no memory", Text(moment) + " uses what was never allocated");
    return;
  }
  const std::string where = BlockText(address);
  if (!block->made.IsBefore(clock))
    reports_.Add("use before allocation", Text(moment) + " does not wait for " + Text(block->made));
  if (block->is_free)
    reports_.Add("use after free", Text(moment) + " uses " + where + ", freed by " + Text(block->ended));
  const size_t first = (address - begin) / kPage, last = (address + bytes - 1 - begin) / kPage;
  for (size_t page = first; page <= last; ++page) UsePage(block->pages[page], where, wrote, moment, clock);
}

void Memory::UsePage(Page& page, const std::string& where, bool wrote, const Moment& moment, const Clock& clock) {
  if (!page.writer.IsBefore(clock)) {
    reports_.Add("missing wait", Text(moment) + (wrote ? " writes " : " reads ") + where + ", and does not wait for " +
                                     Text(page.writer) + ", which writes it");
  }
  if (!wrote) {
    // For each stream, the last use implies the earlier ones.
    std::erase_if(page.readers, [&](const Moment& reader) { return reader.who == moment.who; });
    page.readers.push_back(moment);
    return;
  }
  for (const Moment& reader : page.readers) {
    if (!reader.IsBefore(clock))
      reports_.Add("missing wait",
                   Text(moment) + " writes " + where + ", and does not wait for " + Text(reader) + ", which reads it");
  }
  page.readers.clear();
  page.writer = moment;
}

void Memory::ReportLeaks(int device) {
  for (const auto& [address, block] : blocks_) {
    if (!block.is_free && block.device == device) reports_.Add("leak", BlockText(address));
  }
}

void* Memory::AllocatePinned(size_t bytes) {
  const size_t whole = RoundUp(bytes);
  if (whole > kPinnedBytes - pinned_next_) return nullptr;
  void* const memory = pinned_ + pinned_next_;
  pinned_next_ += whole;
  pinned_blocks_[memory] = bytes;
  return memory;
}

bool Memory::FreePinned(void* memory) {
  if (pinned_blocks_.erase(memory) == 1) return true;
  reports_.Add("double free", "cuMemFreeHost frees what is not allocated");
  return false;
}

bool Memory::IsPinned(const void* memory) const {
  return memory >= pinned_ && memory < pinned_ + kPinnedBytes;
}

}  // namespace cuda_double
