// host/device/guarded_memory.cc: CPU memory that shows accesses outside of its blocks, for authors of plugins.
// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "host/device/device.h"

namespace opsrun::host {
namespace {

constexpr unsigned char kPattern = 0xA5;

// A block ends at a page that cannot be accessed, but for what its alignment leaves, which has a pattern. So has what
// is in front of it in its first page, behind another such page. A freed block is unmapped. An access beyond the
// pattern is a crash of the kernel; what was written over the pattern is found by Damage.
class GuardedDevice final : public Device {
 public:
  bool is_guarded() const override { return true; }

  void* Allocate(size_t bytes, Stream) override {
    if (bytes > kMost) return nullptr;
    const size_t used = RoundUp(std::max<size_t>(bytes, 1), alignment()), room = RoundUp(used, page_);
    void* const all = mmap(nullptr, room + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    char* const first = static_cast<char*>(all) + page_;
    if (mprotect(first, room, PROT_READ | PROT_WRITE) != 0) return munmap(all, room + 2 * page_), nullptr;
    std::memset(first, kPattern, room);
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_[first + room - used] = {first, room, bytes};
    return first + room - used;
  }

  void Free(void* memory, Stream) override {
    if (memory == nullptr) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto block = blocks_.find(memory);
    if (const std::string damage = DamageOf(block->first, block->second); !damage.empty())
      freed_[std::this_thread::get_id()] = damage;
    munmap(block->second.first - page_, block->second.room + 2 * page_);
    blocks_.erase(block);
  }

  std::string Damage(const void* memory) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (memory == nullptr) return std::exchange(freed_[std::this_thread::get_id()], {});
    const auto found = blocks_.find(memory);
    return found == blocks_.end() ? "" : DamageOf(memory, found->second);
  }

 private:
  struct Block {
    char* first = nullptr;  // of the pages that can be accessed
    size_t room = 0;        // of these pages, in bytes
    size_t bytes = 0;       // as asked for
  };
  static constexpr size_t kMost = size_t{1} << 47;

  static size_t RoundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

  static std::string DamageOf(const void* memory, const Block& block) {
    const auto* const begin = static_cast<const unsigned char*>(memory);
    const auto* const first = reinterpret_cast<const unsigned char*>(block.first);
    const auto other = [](unsigned char each) { return each != kPattern; };
    if (std::any_of(first, begin, other)) return "before the start";
    return std::any_of(begin + block.bytes, first + block.room, other) ? "past the end" : "";
  }

  const size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::mutex mutex_;  // guards the members below
  std::map<const void*, Block> blocks_;
  std::map<std::thread::id, std::string> freed_;  // the damage of a block that was freed with some, by this thread
};

}  // namespace

std::unique_ptr<Device> OpenGuardedCpuDevice() {
  return std::make_unique<GuardedDevice>();
}

}  // namespace opsrun::host
