// plugins/pad/border_op.h: the kernels of Pad, PadV2 and MirrorPad, for any device: what they check, and how a device
// writes the output. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axes.h"
#include "mirror_mode.h"
#include "opsrun/op_kernel.h"
#include "padded_output.h"
#include "paddings.h"

namespace pad {

inline constexpr int kConstant = 2;  // the input of PadV2

// What is in a border. Read is called at construction, Check in each call, CheckAxis for each dimension.
struct ConstantBorder {
  opsrun::Status Read(opsrun::OpKernelConstruction*) { return opsrun::Status::OK(); }
  opsrun::Status Check(opsrun::OpKernelContext* context) const;
  opsrun::Status CheckAxis(const Axis& axis, int i) const { return CheckBorder(axis, i); }
};
struct MirroredBorder {
  Edge edge = Edge::kRepeated;

  opsrun::Status Read(opsrun::OpKernelConstruction* context) { return GetEdge(context, &edge); }
  opsrun::Status Check(opsrun::OpKernelContext*) const { return opsrun::Status::OK(); }
  opsrun::Status CheckAxis(const Axis& axis, int i) const { return CheckMirror(axis, i, edge); }
};

// The constant of PadV2, or NULL for Pad.
inline const opsrun::Tensor* ConstantOf(opsrun::OpKernelContext* context) {
  return context->num_inputs() > kConstant ? &context->input(kConstant) : nullptr;
}

// kWrite gives an output that has elements all of them, from input 0; axes are those of the input.
template <typename Border,
          opsrun::Status (*kWrite)(opsrun::OpKernelContext*, const Border&, const Axis* axes, opsrun::Tensor* output)>
class BorderOp : public opsrun::OpKernel {
 public:
  explicit BorderOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, border_.Read(context));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    Axis axes[kMaxRank];
    OP_REQUIRES_OK(context, CheckShapes(context));
    OP_REQUIRES_OK(context, border_.Check(context));
    ReadAxes(context, axes);
    const int rank = context->input(kInput).dims();
    for (int i = 0; i < rank; ++i) OP_REQUIRES_OK(context, border_.CheckAxis(axes[i], i));
    opsrun::Tensor* output = nullptr;
    bool done = false;
    OP_REQUIRES_OK(context, MakeOutput(context, axes, &output, &done));
    if (!done) OP_REQUIRES_OK(context, kWrite(context, border_, axes, output));
  }

 private:
  Border border_;
};

}  // namespace pad
