// absl/base/attributes.h: attributes of functions and variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/base/config.h"

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
