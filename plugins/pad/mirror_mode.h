// plugins/pad/mirror_mode.h: the attr `mode` of MirrorPad.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "mirror_kernel.h"
#include "opsrun/status.h"

namespace pad {

// From a kernel's construction or a shape function's context.
template <typename Context>
opsrun::Status GetEdge(Context* context, Edge* edge) {
  std::string mode;
  TF_RETURN_IF_ERROR(context->GetAttr("mode", &mode));
  *edge = mode == "REFLECT" ? Edge::kOnce : Edge::kRepeated;
  return opsrun::Status::OK();
}

}  // namespace pad
