// SPDX-License-Identifier: Apache-2.0
#include "host/base/guarded_table.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace opsrun::host {
namespace {

// [ ... | owner | table ][ guard ]: a table of any level must fit into one page.
static_assert(sizeof(opsrun_host) + sizeof(void*) <= 4096);

size_t PageBytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::string_view NameOfSlot(uint32_t offset) {
#define OPSRUN_NAME_OF_SLOT(T, slot, n) \
  if (offset == offsetof(T, slot)) return #slot;
#define OPSRUN_NOT_RESERVED(T, slot)
  OPSRUN_FIELDS_HOST(OPSRUN_NAME_OF_SLOT, OPSRUN_NOT_RESERVED)
#if OPSRUN_LEVEL >= 2
  OPSRUN_FIELDS_HOST_2(OPSRUN_NAME_OF_SLOT, OPSRUN_NOT_RESERVED)
#endif
#undef OPSRUN_NAME_OF_SLOT
#undef OPSRUN_NOT_RESERVED
  return {};
}

}  // namespace

GuardedTable::GuardedTable(const opsrun_host& slots, uint32_t level, const void* owner) {
  const size_t page = PageBytes();
  pages_ = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages_ == MAP_FAILED) throw std::bad_alloc();
  const uint32_t size = SizeAt<opsrun_host>(level);
  char* const guard = static_cast<char*>(pages_) + page;
  table_ = reinterpret_cast<opsrun_host*>(guard - size);
  std::memcpy(table_, &slots, size);
  table_->size = size;
  table_->level = level;
  std::memcpy(guard - size - sizeof(owner), &owner, sizeof(owner));
  mprotect(pages_, page, PROT_READ);
  mprotect(guard, page, PROT_NONE);
}

GuardedTable::~GuardedTable() {
  munmap(pages_, 2 * PageBytes());
}

const void* GuardedTable::OwnerOf(const opsrun_host* table) {
  const void* owner = nullptr;
  std::memcpy(&owner, reinterpret_cast<const char*>(table) - sizeof(owner), sizeof(owner));
  return owner;
}

std::optional<MissingSlot> SlotBehind(const opsrun_host* table, const void* address) {
  if (table == nullptr) return std::nullopt;
  const uintptr_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(table);
  if (offset < table->size || offset >= table->size + PageBytes()) return std::nullopt;
  return MissingSlot{static_cast<uint32_t>(offset), NameOfSlot(static_cast<uint32_t>(offset))};
}

}  // namespace opsrun::host
