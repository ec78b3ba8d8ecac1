// tests/fuzz/libfuzzer_entry.cc: the entry point of libFuzzer; built once for each target.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  opsrun::fuzz::OPSRUN_FUZZ_TARGET.eat({reinterpret_cast<const char*>(data), size});
  return 0;
}
