// adapters/pytorch/native/plain.cc
// SPDX-License-Identifier: Apache-2.0
#include "plain.h"

#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>

namespace opsrun_torch {

const Places* PlainCheck::places_ = nullptr;

void PlainCheck::Learn(const Places& places) {
  places_ = new Places(places);
}

const uint64_t* PlainCheck::ThreadKeys() {
  static void* const library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
  static thread_local const uint64_t* keys = nullptr;
  if (keys == nullptr && library != nullptr) {
    keys = static_cast<const uint64_t*>(dlsym(library, "_ZN3c104impl26raw_local_dispatch_key_setE"));
  }
  return keys;
}

std::vector<uint64_t> WordsAt(const void* object) {
  const size_t n = std::min<size_t>(malloc_usable_size(const_cast<void*>(object)) / sizeof(uint64_t), 32);
  const auto* const words = static_cast<const uint64_t*>(object);
  return {words, words + n};
}

}  // namespace opsrun_torch
