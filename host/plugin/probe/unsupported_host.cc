// host/plugin/probe/unsupported_host.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/probe/unsupported_host.h"

#include <type_traits>

#include "host/plugin/load.h"

namespace opsrun::host {
namespace {

template <typename Slot>
struct Unsupported {
  static constexpr Slot value = 0;  // a number: size and level
};

template <typename Answer, typename... Arguments>
struct Unsupported<Answer (*)(Arguments...)> {
  static Answer Call(Arguments...) {
    if constexpr (std::is_same_v<Answer, int32_t>) {
      return OPSRUN_UNIMPLEMENTED;
    } else {
      return Answer();
    }
  }
  static constexpr auto value = &Call;
};

int32_t Fail(void*, int32_t code, opsrun_str text, opsrun_str) {
  return FailEntry(code, text);
}

}  // namespace

opsrun_host UnsupportedSlots() {
#define OPSRUN_SLOT(T, slot, n) .slot = Unsupported<decltype(T::slot)>::value,
#define OPSRUN_NOTHING(T, field)
  opsrun_host table = {
    OPSRUN_FIELDS_HOST(OPSRUN_SLOT, OPSRUN_NOTHING)
#if OPSRUN_LEVEL >= 2
        OPSRUN_FIELDS_HOST_2(OPSRUN_SLOT, OPSRUN_NOTHING)
#endif
  };
#undef OPSRUN_SLOT
#undef OPSRUN_NOTHING
  table.fail = Fail;
  return table;
}

}  // namespace opsrun::host
