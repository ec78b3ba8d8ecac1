// host/tensor/slots.cc: elements of string tensors.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/slots.h"

#include <cstdlib>
#include <cstring>

namespace opsrun::host {

bool AssignSlot(opsrun_str& slot, std::string_view text) {
  char* bytes = nullptr;
  if (!text.empty()) {
    bytes = static_cast<char*>(std::malloc(text.size() + 1));
    if (bytes == nullptr) return false;
    std::memcpy(bytes, text.data(), text.size());
    bytes[text.size()] = '\0';
  }
  std::free(const_cast<char*>(slot.data));
  slot = {bytes, text.size()};
  return true;
}

void ClearSlots(opsrun_str* slots, int64_t count) {
  for (int64_t i = 0; i < count; ++i) AssignSlot(slots[i], {});
}

bool CopySlots(opsrun_str* to, const opsrun_str* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!AssignSlot(to[i], SlotText(from[i]))) return false;
  }
  return true;
}

}  // namespace opsrun::host
