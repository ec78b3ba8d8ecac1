// host/base/guarded_table.h: the table of the host's functions, in memory that ends where the table ends.
//
// Plugins cannot write to it. An unreadable page follows the last slot: a plugin that uses a slot of a later level
// without checking OPSRUN_HAS crashes there, and the address of the fault identifies the slot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "opsrun/c_api.h"

namespace opsrun::host {

class GuardedTable {
 public:
  // Copies the slots of the level, and fills in size and level. owner: see OwnerOf. Throws std::bad_alloc if memory
  // runs out.
  GuardedTable(const opsrun_host& slots, uint32_t level, const void* owner);
  GuardedTable(const GuardedTable&) = delete;
  ~GuardedTable();

  const opsrun_host* get() const { return table_; }

  // Requires: `table` belongs to a GuardedTable.
  static const void* OwnerOf(const opsrun_host* table);

 private:
  void* pages_;
  opsrun_host* table_;
};

// A slot that a plugin used although the table lacks it.
struct MissingSlot {
  uint32_t offset = 0;    // in opsrun_host
  std::string_view name;  // empty: unknown to this header, too
};

// The missing slot if `address` is right behind the table. Async-signal-safe. Requires: `table` belongs to a
// GuardedTable, or is null.
std::optional<MissingSlot> SlotBehind(const opsrun_host* table, const void* address);

// The sizes of the contract's growing structs at each level.

// The size at level 1, which every plugin and every host supports.
template <typename T>
inline constexpr uint32_t kLevel1Size = 0;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_resource> = OPSRUN_LEVEL_1_SIZE_RESOURCE;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_host> = OPSRUN_LEVEL_1_SIZE_HOST;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_call> = OPSRUN_LEVEL_1_SIZE_CALL;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_create> = OPSRUN_LEVEL_1_SIZE_CREATE;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_shape_call> = OPSRUN_LEVEL_1_SIZE_SHAPE_CALL;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_op> = OPSRUN_LEVEL_1_SIZE_OP;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_kernel> = OPSRUN_LEVEL_1_SIZE_KERNEL;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_plugin> = OPSRUN_LEVEL_1_SIZE_PLUGIN;

// The size of a growing struct at a level, from 1 to OPSRUN_LEVEL, for what a host of that level creates and reads.
template <typename T>
constexpr uint32_t SizeAt(uint32_t level) {
  static_assert(kLevel1Size<T> != 0, "a growing struct of the contract");
  return level <= 1 ? kLevel1Size<T> : static_cast<uint32_t>(sizeof(T));
}

}  // namespace opsrun::host
