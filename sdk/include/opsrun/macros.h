// opsrun/macros.h: small macros that sources for TensorFlow expect. TF_PREDICT_* are in status.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "opsrun/status.h"

#define TF_DISALLOW_COPY_AND_ASSIGN(Type) \
  Type(const Type&) = delete;             \
  void operator=(const Type&) = delete

#define TF_ARRAYSIZE(array) (sizeof(array) / sizeof((array)[0]))
#define TF_MUST_USE_RESULT __attribute__((warn_unused_result))
#define TF_ATTRIBUTE_NORETURN __attribute__((noreturn))
#define TF_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define TF_ATTRIBUTE_NOINLINE __attribute__((noinline))
#define TF_ATTRIBUTE_UNUSED __attribute__((unused))
#define TF_ATTRIBUTE_COLD __attribute__((cold))
#define TF_ATTRIBUTE_WEAK __attribute__((weak))
#define TF_PACKED __attribute__((packed))
#define TF_EXPORT __attribute__((visibility("default")))
#define TF_UNUSED_VARIABLE(x) static_cast<void>(x)
#define TF_FALLTHROUGH_INTENDED [[fallthrough]]
#define TF_HAS_CPP_ATTRIBUTE(attribute) __has_cpp_attribute(attribute)

// For functions that take arguments like printf and scanf: the positions of the format and of the first argument that
// it formats, from 1, or from 2 in a class.
#define TF_PRINTF_ATTRIBUTE(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#define TF_SCANF_ATTRIBUTE(format_at, first_at) __attribute__((format(scanf, format_at, first_at)))

// Whether the compiler has a builtin function. GCC before version 10 does not support the test.
#ifdef __has_builtin
#define TF_HAS_BUILTIN(builtin) __has_builtin(builtin)
#else
#define TF_HAS_BUILTIN(builtin) 0
#endif

// Some sources test for C++11.
#ifndef LANG_CXX11
#define LANG_CXX11 1
#endif
