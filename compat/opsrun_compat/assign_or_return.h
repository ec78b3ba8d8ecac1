// opsrun_compat/assign_or_return.h: StatusOr in namespace tensorflow, TF_ASSIGN_OR_RETURN and OP_REQUIRES_VALUE.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_requires.h"
#include "opsrun_compat/absl.h"

#if defined(OPSRUN_ABSL) || __has_include("absl/opsrun_layer.h")
namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
using absl::StatusOr;
}  // namespace OPSRUN_HIDDEN
#endif

#define OPSRUN_UNIQUE(prefix, counter) OPSRUN_UNIQUE_JOINED(prefix, counter)
#define OPSRUN_UNIQUE_JOINED(prefix, counter) prefix##counter

// Sets `left`, which may be a declaration, to the value of a StatusOr, or returns its status from the enclosing
// function.
#define TF_ASSIGN_OR_RETURN(left, ...) \
  OPSRUN_ASSIGN_OR_RETURN(OPSRUN_UNIQUE(opsrun_or_status_, __COUNTER__), left, __VA_ARGS__)
#define OPSRUN_ASSIGN_OR_RETURN(name, left, ...)          \
  auto name = (__VA_ARGS__);                              \
  if (TF_PREDICT_FALSE(!name.ok())) return name.status(); \
  left = std::move(name).value()

// The same in a kernel: fails the call and returns.
#define OP_REQUIRES_VALUE(left, ctx, ...) \
  OPSRUN_REQUIRES_VALUE(OPSRUN_UNIQUE(opsrun_or_status_, __COUNTER__), left, ctx, __VA_ARGS__)
#define OPSRUN_REQUIRES_VALUE(name, left, ctx, ...) \
  auto name = (__VA_ARGS__);                        \
  OP_REQUIRES_OK(ctx, name.status());               \
  left = std::move(name).value()
