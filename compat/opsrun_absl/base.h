// opsrun_absl/base.h: the SDK's own small implementation of abseil's names, for sources that use them without abseil.
//
// It is header-only and on the include path unless the flags come from `opsrun sdk --absl`, which uses abseil itself.
// All of it is in an inline namespace, so it does not conflict with abseil in another object file of the plugin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/thread_annotations.h"

#define OPSRUN_ABSL_LAYER
#define OPSRUN_ABSL_JOIN(prefix, name) OPSRUN_ABSL_JOIN_EXPANDED(prefix, name)
#define OPSRUN_ABSL_JOIN_EXPANDED(prefix, name) prefix##name
// Opens the namespace. Its classes differ between files that enter through opsrun/ and through tensorflow/.
#define OPSRUN_ABSL_BEGIN        \
  namespace absl OPSRUN_HIDDEN { \
  inline namespace OPSRUN_ABSL_JOIN(sdk_of_, OPSRUN_NAMESPACE) {
#define OPSRUN_ABSL_END \
  }                     \
  }

// Abseil's own headers use this name; they cannot be mixed with this layer.
#define ABSL_NAMESPACE_BEGIN                                                                               \
  static_assert(false,                                                                                     \
                "the SDK's layer of abseil's names lacks this header: compile with $(opsrun sdk --cflags " \
                "--absl), which uses abseil itself");
#define ABSL_NAMESPACE_END

#define ABSL_HAVE_BUILTIN(x) 0
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ABSL_IS_LITTLE_ENDIAN 1
#else
#define ABSL_IS_BIG_ENDIAN 1
#endif

// Attributes of functions and variables.

#define ABSL_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define ABSL_ATTRIBUTE_NOINLINE __attribute__((noinline))
#define ABSL_ATTRIBUTE_UNUSED __attribute__((unused))
#define ABSL_ATTRIBUTE_COLD __attribute__((cold))
#define ABSL_ATTRIBUTE_HOT __attribute__((hot))
#define ABSL_ATTRIBUTE_NORETURN __attribute__((noreturn))
#define ABSL_ATTRIBUTE_PACKED __attribute__((packed))
#define ABSL_ATTRIBUTE_WEAK __attribute__((weak))
#define ABSL_ATTRIBUTE_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#define ABSL_ATTRIBUTE_RETURNS_NONNULL __attribute__((returns_nonnull))
#define ABSL_PRINTF_ATTRIBUTE(text, first) __attribute__((format(printf, text, first)))
#define ABSL_ATTRIBUTE_NO_SANITIZE_UNDEFINED
#define ABSL_ATTRIBUTE_NO_SANITIZE_ADDRESS
#define ABSL_ATTRIBUTE_NO_SANITIZE_MEMORY
#define ABSL_ATTRIBUTE_NO_SANITIZE_THREAD
#define ABSL_ATTRIBUTE_LIFETIME_BOUND
#define ABSL_ATTRIBUTE_TRIVIAL_ABI
#define ABSL_ATTRIBUTE_VIEW
#define ABSL_ATTRIBUTE_OWNER
#define ABSL_MUST_USE_RESULT
#define ABSL_CONST_INIT
#define ABSL_FALLTHROUGH_INTENDED [[fallthrough]]
#define ABSL_DEPRECATED(message)

OPSRUN_ABSL_BEGIN
using std::call_once, std::once_flag;

template <typename To>
constexpr To implicit_cast(typename std::enable_if<true, To>::type value) {
  return value;
}

template <typename To, typename From>
To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast is for types of one size");
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

template <typename To, typename From>
To down_cast(From* from) {
  return static_cast<To>(from);
}

// absl::kConstInit, for mutexes at namespace scope.
enum ConstInitType { kConstInit };

// absl::LogSeverity.
enum class LogSeverity : int { kInfo = 0, kWarning = 1, kError = 2, kFatal = 3 };
OPSRUN_ABSL_END

// Hints about branches.

#define ABSL_PREDICT_TRUE(x) (__builtin_expect(!!(x), 1))
#define ABSL_PREDICT_FALSE(x) (__builtin_expect(!!(x), 0))
#define ABSL_CACHELINE_SIZE 64
#define ABSL_CACHELINE_ALIGNED __attribute__((aligned(ABSL_CACHELINE_SIZE)))
#define ABSL_BLOCK_TAIL_CALL_OPTIMIZATION() __asm__ __volatile__("")
#define ABSL_ASSUME(condition)                 \
  do {                                         \
    if (!(condition)) __builtin_unreachable(); \
  } while (false)

#define ABSL_ARRAYSIZE(array) (sizeof(array) / sizeof((array)[0]))
#define ABSL_ASSERT(condition) assert(condition)
#define ABSL_HARDENING_ASSERT(condition) assert(condition)

// States which mutex guards what, for clang's analysis; empty for other compilers.

#define ABSL_GUARDED_BY(x) TF_GUARDED_BY(x)
#define ABSL_PT_GUARDED_BY(x) TF_PT_GUARDED_BY(x)
#define ABSL_ACQUIRED_BEFORE(...) TF_ACQUIRED_BEFORE(__VA_ARGS__)
#define ABSL_ACQUIRED_AFTER(...) TF_ACQUIRED_AFTER(__VA_ARGS__)
#define ABSL_EXCLUSIVE_LOCKS_REQUIRED(...) TF_EXCLUSIVE_LOCKS_REQUIRED(__VA_ARGS__)
#define ABSL_SHARED_LOCKS_REQUIRED(...) TF_SHARED_LOCKS_REQUIRED(__VA_ARGS__)
#define ABSL_LOCKS_EXCLUDED(...) TF_LOCKS_EXCLUDED(__VA_ARGS__)
#define ABSL_LOCK_RETURNED(x)
#define ABSL_LOCKABLE TF_LOCKABLE
#define ABSL_SCOPED_LOCKABLE TF_SCOPED_LOCKABLE
#define ABSL_EXCLUSIVE_LOCK_FUNCTION(...) TF_EXCLUSIVE_LOCK_FUNCTION(__VA_ARGS__)
#define ABSL_SHARED_LOCK_FUNCTION(...) TF_SHARED_LOCK_FUNCTION(__VA_ARGS__)
#define ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(...) TF_EXCLUSIVE_TRYLOCK_FUNCTION(__VA_ARGS__)
#define ABSL_UNLOCK_FUNCTION(...) TF_UNLOCK_FUNCTION(__VA_ARGS__)
#define ABSL_ASSERT_EXCLUSIVE_LOCK(...)
#define ABSL_ASSERT_SHARED_LOCK(...)
#define ABSL_NO_THREAD_SAFETY_ANALYSIS TF_NO_THREAD_SAFETY_ANALYSIS
