// tests/cuda/fake_library.h: what the fake libraries of NVIDIA have in common.
//
// They have the functions that plugins/math_ops uses, with the rules of the real libraries, and compute on the fake
// driver. A handle owns device memory, so a handle that is not destroyed is reported as a leak. Results are computed
// with a workspace that is written to, so work that may run concurrently must not share one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

#include "opsrun/types.h"

#define EXPORTED __attribute__((visibility("default")))

namespace fake {

// `text`, of an environment variable, is CALL:STATUS and makes a function return that status; otherwise 0.
inline int FailureOf(const char* text, const char* call) {
  const std::string start = std::string(call) + ":";
  if (text == nullptr || std::strncmp(text, start.c_str(), start.size()) != 0) return 0;
  return std::atoi(text + start.size());
}

// Device memory of a handle.
class OwnMemory {
 public:
  bool Take() { return cudaMalloc(&memory_, 4096) == cudaSuccess; }
  bool Free() { return cudaFree(memory_) == cudaSuccess; }

 private:
  void* memory_ = nullptr;
};

// The type that elements are multiplied and added in.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Whether results are products, and replace what there was: all that plugins/math_ops uses.
template <typename T>
bool AreOneAndZero(const void* alpha, const void* beta) {
  return *static_cast<const Wide<T>*>(alpha) == 1 && *static_cast<const Wide<T>*>(beta) == 0;
}

}  // namespace fake
