// plugins/cast/cast_op.h: the kernel of Cast, for any device.
//
// Caster converts on a device. Make(from, to, keep) selects the conversion, with `keep` as in conversions.h; Run
// converts all elements of a tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversions.h"
#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"

namespace cast {

template <typename Caster>
class CastOp : public opsrun::OpKernel {
 public:
  explicit CastOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    opsrun::DataType from = opsrun::DT_INVALID, to = opsrun::DT_INVALID;
    bool truncate = false;
    OP_REQUIRES_OK(context, context->GetAttr("SrcT", &from));
    OP_REQUIRES_OK(context, context->GetAttr("DstT", &to));
    OP_REQUIRES_OK(context, context->GetAttr("Truncate", &truncate));
    same_ = from == to;
    caster_ = Caster::Make(from, to, truncate ? FractionBits(to) : kAllFractionBits);
  }

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::Tensor& input = context->input(0);
    if (same_) return context->set_output(0, input);
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &output));
    OP_REQUIRES_OK(context, caster_.Run(context, input, output));
  }

 private:
  bool same_ = false;
  Caster caster_;
};

}  // namespace cast

// The types that Cast converts.

// Quantized numbers are converted as the underlying integers.
#define CAST_CALL_QUANTIZED(m) TF_CALL_qint8(m) TF_CALL_quint8(m) TF_CALL_qint16(m) TF_CALL_quint16(m) TF_CALL_qint32(m)

#define CAST_CALL_TYPES(m)                                                                                           \
  TF_CALL_bool(m) TF_CALL_NUMBER_TYPES(m) TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) TF_CALL_float8_e4m3fnuz(m) \
      TF_CALL_float8_e4m3b11fnuz(m) TF_CALL_float8_e5m2fnuz(m)
