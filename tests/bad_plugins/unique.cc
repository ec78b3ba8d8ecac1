// tests/bad_plugins/unique.cc: a static variable of an inline function, which all libraries of a process that are built
// without the SDK's flags share.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"

template <typename T>
inline T* Shared() {
  static T value = {};
  return &value;
}

REGISTER_OP("Odd");
void* used_by_all = Shared<int>();
