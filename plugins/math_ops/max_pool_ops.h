// plugins/math_ops/max_pool_ops.h: what MaxPool and its gradients have in common in their specs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "max_pool.h"
#include "opsrun/op.h"
#include "pooling.h"

#define MATH_OPS_POOL_ATTRS                           \
  Attr("T: {" MATH_OPS_POOL_TYPES "} = DT_FLOAT")     \
      .Attr("ksize: list(int) >= 4")                  \
      .Attr("strides: list(int) >= 4")                \
      .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}") \
      .Attr("explicit_paddings: list(int) = []")      \
      .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")

#define MATH_OPS_POOL_ATTR_DOCS                                                                                    \
  "ksize: The size of the windows: [1, height, width, 1], or [1, 1, 1, channels], which divides the channels.\n"   \
  "strides: How far apart windows are: [1, height, width, 1], or ksize for windows of channels.\n"                 \
  "padding: SAME: as many windows as strides fit into the image. VALID: only windows inside the image. EXPLICIT: " \
  "the image has a border as wide as explicit_paddings says. A border has no pixels.\n"                            \
  "explicit_paddings: [0, 0, top, bottom, left, right, 0, 0], each smaller than the window.\n"                     \
  "data_format: Only NHWC is supported.\n"

// The attrs of a node of a gradient.
#define MATH_OPS_SAME_POOL                                                             \
  "attrs: {ksize: {attr: ksize}, strides: {attr: strides}, padding: {attr: padding}, " \
  "explicit_paddings: {attr: explicit_paddings}, data_format: {attr: data_format}}"
