// SPDX-License-Identifier: Apache-2.0
#include "host/device/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "host/base/display_text.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {
namespace {

// Addresses of 47 bits, as x86-64 has them, where Linux puts nothing by itself: between programs without a fixed place
// and what is below them, for hundreds of regions; and below libraries and stacks, for some. ThreadSanitizer needs the
// former, and asks for address 0 instead of one that it does not allow, which root gets.
struct Window {
  uintptr_t begin, end;
};
constexpr Window kWindows[] = {
#if !defined(__SANITIZE_THREAD__)
    {0x2000'0000'0000, 0x5000'0000'0000},
#endif
    {0x7e80'0000'0000, 0x7ef0'0000'0000}};

void* MapAt(int descriptor, uintptr_t address, size_t bytes) {
  void* const wanted = reinterpret_cast<void*>(address);
  void* const mapped =
      mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, descriptor, 0);
  if (mapped == wanted) return mapped;
  if (mapped == MAP_FAILED) return MAP_FAILED;
  munmap(mapped, bytes);  // Linux before 4.17, and sanitizers
  errno = EEXIST;
  return MAP_FAILED;
}

Status NoRegion(int error) {
  return ResourceExhausted(fmt::format("memory cannot be shared with another process: {}", ErrnoText(error)));
}

size_t PageSize() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Result<std::shared_ptr<SharedRegion>> SharedRegion::Create(const char* name, size_t bytes) {
  Descriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0 || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return NoRegion(errno);
  // Nobody can make it shorter, which would be a SIGBUS here.
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return NoRegion(errno);
  for (const Window& window : kWindows) {
    for (uintptr_t address = window.begin; address + bytes <= window.end; address += bytes) {
      void* const mapped = MapAt(file.get(), address, bytes);
      if (mapped != MAP_FAILED)
        return std::shared_ptr<SharedRegion>(new SharedRegion(std::move(file), static_cast<char*>(mapped), bytes));
      if (errno == ENOMEM) return NoRegion(errno);  // a limit of the process, whatever the address
    }
  }
  return NoRegion(errno);
}

Result<std::shared_ptr<SharedRegion>> SharedRegion::Attach(int descriptor, uintptr_t address, size_t bytes) {
  void* const mapped = MapAt(descriptor, address, bytes);
  if (mapped == MAP_FAILED) return NoRegion(errno);
  return std::shared_ptr<SharedRegion>(new SharedRegion(Descriptor(), static_cast<char*>(mapped), bytes));
}

SharedRegion::~SharedRegion() {
  munmap(data_, size_);
}

bool SharedRegion::Holds(const void* address, size_t n) const {
  const auto from = reinterpret_cast<uintptr_t>(address), begin = reinterpret_cast<uintptr_t>(data_);
  return from >= begin && from - begin <= size_ && n <= size_ - (from - begin);
}

void SharedRegion::Release(void* address, size_t n) const {
  const size_t page = PageSize();
  const auto from = (reinterpret_cast<uintptr_t>(address) + page - 1) / page * page;
  const auto to = (reinterpret_cast<uintptr_t>(address) + n) / page * page;
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_REMOVE);
}

size_t SharedRegionBytes() {
  return std::bit_ceil(std::clamp<size_t>(2 * MachineMemory(), size_t{1} << 36, size_t{1} << 37));
}

namespace {

constexpr size_t kBlockAlignment = 64;
constexpr size_t kLeastReleased = size_t{1} << 20;

}  // namespace

SharedHeap::SharedHeap(std::shared_ptr<SharedRegion> region) : region_(std::move(region)) {
  AddFree(0, region_->size());
}

void* SharedHeap::Take(size_t bytes) {
  if (bytes > region_->size() - kBlockAlignment) return nullptr;
  bytes = (std::max<size_t>(bytes, 1) + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_size_.lower_bound({bytes, 0});
  if (found == by_size_.end() || used_bytes_ + bytes > MachineMemory()) return nullptr;
  const auto [size, offset] = *found;
  RemoveFree(offset, size);
  if (size > bytes) AddFree(offset + bytes, size - bytes);
  used_[offset] = bytes;
  used_bytes_ += bytes;
  return region_->data() + offset;
}

void SharedHeap::Give(void* memory) {
  size_t offset = static_cast<size_t>(static_cast<char*>(memory) - region_->data());
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = used_.find(offset);
  size_t bytes = found->second;
  used_bytes_ -= bytes;
  used_.erase(found);
  if (bytes >= kLeastReleased) region_->Release(memory, bytes);
  const auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + bytes) bytes += RemoveFree(next->first, next->second);
  const auto after = free_.lower_bound(offset);
  if (after != free_.begin()) {
    const auto [begin, size] = *std::prev(after);
    if (begin + size == offset) {
      bytes += RemoveFree(begin, size);
      offset = begin;
    }
  }
  AddFree(offset, bytes);
}

void SharedHeap::AddFree(size_t offset, size_t bytes) {
  free_[offset] = bytes;
  by_size_.insert({bytes, offset});
}

size_t SharedHeap::RemoveFree(size_t offset, size_t bytes) {
  free_.erase(offset);
  by_size_.erase({bytes, offset});
  return bytes;
}

}  // namespace opsrun::host
