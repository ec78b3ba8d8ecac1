// plugins/median_pool/windows.h: the attrs of MedianPool, and what windows they make of a shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"
#include "window.h"

namespace median_pool {

// Height before width.
struct WindowAttrs {
  opsrun::int64 size[2] = {1, 1};
  opsrun::int64 stride[2] = {1, 1};
  bool same = true;
};

// Reads and checks the attrs; `Context` has GetAttr: a construction or an InferenceContext.
template <typename Context>
opsrun::Status GetWindowAttrs(const Context* context, WindowAttrs* attrs);

// The windows on a tensor of this shape, or why there are none.
opsrun::Status WindowsOn(const opsrun::TensorShape& shape, const WindowAttrs& attrs, Images* images);

// The shape of the medians of an input of this shape.
opsrun::TensorShape PooledShape(const opsrun::TensorShape& input, const Images& images);

opsrun::Status MedianPoolShape(opsrun::shape_inference::InferenceContext* c);

// Of what GetWindowAttrs has read.
opsrun::Status MakeWindowAttrs(const std::vector<opsrun::int64>& ksize, const std::vector<opsrun::int64>& strides,
                               const std::string& padding, WindowAttrs* attrs);

// [get-attrs]
template <typename Context>
opsrun::Status GetWindowAttrs(const Context* context, WindowAttrs* attrs) {
  std::vector<opsrun::int64> ksize, strides;
  std::string padding;
  TF_RETURN_IF_ERROR(context->GetAttr("ksize", &ksize));
  TF_RETURN_IF_ERROR(context->GetAttr("strides", &strides));
  TF_RETURN_IF_ERROR(context->GetAttr("padding", &padding));
  return MakeWindowAttrs(ksize, strides, padding, attrs);
}
// [/get-attrs]

}  // namespace median_pool
