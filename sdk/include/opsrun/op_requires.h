// opsrun/op_requires.h: OP_REQUIRES and OP_REQUIRES_OK, which fail a kernel's constructor or call and return from it.
//
// For functions that return void. The condition is evaluated once; the status of OP_REQUIRES is evaluated only if the
// condition is false.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/namespace.h"
#include "opsrun/status.h"

#define OP_REQUIRES(CTX, EXP, STATUS)                  \
  do {                                                 \
    if (!TF_PREDICT_TRUE(EXP)) {                       \
      (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS)); \
      return;                                          \
    }                                                  \
  } while (0)

// Variadic, so that the argument may contain commas in braces.
#define OP_REQUIRES_OK(CTX, ...)                              \
  do {                                                        \
    ::OPSRUN_NAMESPACE::Status opsrun_status = (__VA_ARGS__); \
    if (TF_PREDICT_FALSE(!opsrun_status.ok())) {              \
      (CTX)->CtxFailure(__FILE__, __LINE__, opsrun_status);   \
      return;                                                 \
    }                                                         \
  } while (0)
