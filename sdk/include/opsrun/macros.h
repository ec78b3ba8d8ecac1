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
