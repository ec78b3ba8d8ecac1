// host/tensor/slots.h: elements of string tensors: each an opsrun_str that owns its bytes.
//
// The bytes are malloc's, with a NUL after them, so that they may be read as a C string; an empty element has none of
// its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "host/base/dtype.h"

namespace opsrun::host {

inline std::string_view SlotText(const opsrun_str& slot) {
  return slot.size == 0 ? std::string_view() : std::string_view(slot.data, slot.size);
}

// The element becomes a copy of `text`, which may be its own. False if there is no memory: then it is as it was.
bool AssignSlot(opsrun_str& slot, std::string_view text);

// Every element becomes empty.
void ClearSlots(opsrun_str* slots, int64_t count);

// Copies `count` elements; false if there is no memory. Requires: `to` is not `from`.
bool CopySlots(opsrun_str* to, const opsrun_str* from, int64_t count);

}  // namespace opsrun::host
