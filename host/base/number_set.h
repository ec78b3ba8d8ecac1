// host/base/number_set.h: a set of numbers of things, found by what the things are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace opsrun::host {

// A hash table that takes 16 to 32 bytes per number.
class NumberSet {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // The number with this hash for which equal(number) is true; kNone if there is none.
  template <typename Equal>
  uint32_t Find(uint32_t hash, const Equal& equal) const {
    for (size_t at = hash; !slots_.empty(); ++at) {
      const Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.number == kNone) break;
      if (slot.hash == hash && equal(slot.number)) return slot.number;
    }
    return kNone;
  }

  // Requires: Find does not find it; it is not kNone.
  void Add(uint32_t number, uint32_t hash) {
    if (2 * ++count_ > slots_.size()) {
      const std::vector<Slot> slots = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 16 : 2 * slots_.size()));
      for (const Slot& slot : slots) {
        if (slot.number != kNone) Place(slot);
      }
    }
    Place({number, hash});
  }

 private:
  struct Slot {
    uint32_t number = kNone;
    uint32_t hash = 0;
  };

  void Place(const Slot& slot) {
    size_t at = slot.hash;
    while (slots_[at & (slots_.size() - 1)].number != kNone) ++at;
    slots_[at & (slots_.size() - 1)] = slot;
  }

  std::vector<Slot> slots_;  // a power of two; at most half are taken
  size_t count_ = 0;
};

}  // namespace opsrun::host
