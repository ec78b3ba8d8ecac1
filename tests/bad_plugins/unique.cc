// tests/bad_plugins/unique.cc: a static variable of an inline function, which every library of a process
// shares that is built without the SDK's flags.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"

template <typename T>
inline T* Shared() {
  static T value = {};
  return &value;
}

REGISTER_OP("Odd");
void* used_by_all = Shared<int>();
