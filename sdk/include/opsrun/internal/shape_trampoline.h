// opsrun/internal/shape_trampoline.h: calls the shape function of an op from C.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"
#include "opsrun/internal/guard.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {
class InferenceContext;
}

namespace internal {

// Depends on Fn, so that InferenceContext only has to be complete where a shape function is set.
template <typename Fn>
struct InferenceContextFor {
  typedef shape_inference::InferenceContext type;
};

template <typename Fn>
int32_t ShapeTrampoline(void* ctx, opsrun_shape_call* call) {
  return Report(call->host, call, Guarded([&]() -> Status {
                  typename InferenceContextFor<Fn>::type context(call);
                  return (*static_cast<Fn*>(ctx))(&context);
                }));
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
