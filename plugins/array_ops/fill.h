// plugins/array_ops/fill.h: one value everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elements.h"

namespace array_ops {

template <typename E>
void FillWith(opsrun::OpKernelContext* context, const E& value, opsrun::Tensor* tensor) {
  E* to = ElementsOf<E>(tensor);
  ForIndices(context, tensor->NumElements(), kMovedBytes<E>,
             [&](int64 begin, int64 end) { std::fill(to + begin, to + end, value); });
}

// Zeros, false or empty strings.
inline void FillWithZeros(opsrun::OpKernelContext* context, opsrun::Tensor* tensor) {
  VisitElement(tensor->dtype(), [&](auto element) { FillWith(context, typename decltype(element)::type(), tensor); });
}

}  // namespace array_ops
