// plugins/shape_ops/shape_ops.h: sizes in an int32 or int64 tensor, and the kernels of Reshape and Fill.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <vector>

#include "opsrun/check_shapes.h"
#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"

namespace shape_ops {

using namespace opsrun;

// m(type) for all types that tensors outside of a run can hold; without strings, which may own memory elsewhere.
#define SHAPE_OPS_CALL_FIXED_SIZE_TYPES(m)                                                                        \
  TF_CALL_POD_TYPES(m)                                                                                            \
  TF_CALL_QUANTIZED_TYPES(m)                                                                                      \
  TF_CALL_qint16(m) TF_CALL_quint16(m) TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) TF_CALL_float8_e4m3fnuz(m) \
      TF_CALL_float8_e4m3b11fnuz(m) TF_CALL_float8_e5m2fnuz(m)
#define SHAPE_OPS_CALL_VALUE_TYPES(m) SHAPE_OPS_CALL_FIXED_SIZE_TYPES(m) TF_CALL_tstring(m)

#define SHAPE_OPS_TYPE_OF(T) DataTypeToEnum<T>::value,
inline constexpr std::initializer_list<DataType> kFixedSize = {SHAPE_OPS_CALL_FIXED_SIZE_TYPES(SHAPE_OPS_TYPE_OF)};
#undef SHAPE_OPS_TYPE_OF

// The elements of input `name`. INVALID_ARGUMENT: it is not a vector, or longer than the maximum rank.
Status ReadSizes(const Tensor& tensor, const char* name, std::vector<int64>* sizes);

// The kernels of Reshape and Fill, for any device.

// The shape of the output, from the inputs. INVALID_ARGUMENT: the sizes are not a shape, or do not match the input.
Status FindReshaped(OpKernelContext* context, TensorShape* shape);
Status FindFilled(OpKernelContext* context, TensorShape* shape);

// kCopy copies the elements of the input to the output; it is called only if there are any.
template <Status (*kCopy)(OpKernelContext*, const Tensor&, Tensor*)>
class ReshapeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    TensorShape shape;
    OP_REQUIRES_OK(context, FindReshaped(context, &shape));
    Tensor* output = nullptr;
    int forwarded = -1;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, shape, &output, &forwarded));
    if (forwarded < 0 && input.NumElements() > 0) OP_REQUIRES_OK(context, kCopy(context, input, output));
  }
};

// kRepeat sets every element of the output to the value; it is called only if there are any.
template <Status (*kRepeat)(OpKernelContext*, const Tensor& value, Tensor*)>
class FillOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    TensorShape shape;
    OP_REQUIRES_OK(context, FindFilled(context, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() > 0) OP_REQUIRES_OK(context, kRepeat(context, context->input(1), output));
  }
};

}  // namespace shape_ops
