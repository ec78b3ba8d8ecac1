// host/tensor/slots.h: elements of string tensors: each is an opsrun_str that owns its bytes.
//
// The bytes are allocated with malloc; an empty element has none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "host/base/dtype.h"

namespace opsrun::host {

inline std::string_view SlotText(const opsrun_str& slot) {
  return slot.size == 0 ? std::string_view() : std::string_view(slot.data, slot.size);
}

// Sets the element to a copy of `text`, which may point into the element. False if memory runs out: the element is then
// unchanged.
inline bool AssignSlot(opsrun_str& slot, std::string_view text) {
  char* bytes = nullptr;
  if (text.size() > PTRDIFF_MAX) return false;
  if (!text.empty()) {
    bytes = static_cast<char*>(std::malloc(text.size()));
    if (bytes == nullptr) return false;
    std::memcpy(bytes, text.data(), text.size());
  }
  std::free(const_cast<char*>(slot.data));
  slot = {bytes, text.size()};
  return true;
}

// Makes every element empty.
inline void ClearSlots(opsrun_str* slots, int64_t count) {
  for (int64_t i = 0; i < count; ++i) AssignSlot(slots[i], {});
}

}  // namespace opsrun::host
