// plugins/list_ops/cut_ops.h: the kernels of Pack, Unpack and Split, for any device.
//
// Moves: how a device moves rows, as CpuMoves of cpu_moves.h does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "axis.h"
#include "opsrun/op_kernel.h"
#include "opsrun/tstring.h"

namespace list_ops {

// From the inputs of a Pack with that axis. *axis is the resolved one, and *shape that of the output.
opsrun::Status FindPacked(opsrun::OpKernelContext* context, opsrun::int64* axis, opsrun::TensorShape* shape);
// From the inputs of an Unpack with that axis, or of a Split: along which axis the parts lie, and the shape of each.
opsrun::Status FindUnpacked(opsrun::OpKernelContext* context, opsrun::int64* axis, opsrun::TensorShape* part);
opsrun::Status FindSplit(opsrun::OpKernelContext* context, opsrun::int64* axis, opsrun::TensorShape* part);

// Where the elements are, and how long one is: strings are moved by themselves, not by their bytes.
inline opsrun::int64 ElementBytes(opsrun::DataType type) {
  return type == opsrun::DT_STRING ? static_cast<opsrun::int64>(sizeof(opsrun::tstring)) : DataTypeSize(type);
}
inline const char* ElementsOf(const opsrun::Tensor& tensor) {
  if (tensor.dtype() == opsrun::DT_STRING) return reinterpret_cast<const char*>(tensor.flat<opsrun::tstring>().data());
  return static_cast<const char*>(tensor.data());
}
inline char* ElementsOf(opsrun::Tensor* tensor) {
  if (tensor->dtype() == opsrun::DT_STRING) return reinterpret_cast<char*>(tensor->flat<opsrun::tstring>().data());
  return static_cast<char*>(tensor->data());
}

template <typename Moves>
class PackOp : public opsrun::OpKernel {
 public:
  explicit PackOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("axis", &axis_));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::int64 axis = axis_;
    opsrun::TensorShape shape;
    OP_REQUIRES_OK(context, FindPacked(context, &axis, &shape));
    opsrun::Tensor* packed = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &packed));
    if (packed->NumElements() == 0) return;
    std::vector<const char*> parts;
    for (int i = 0; i < context->num_inputs(); ++i) {
      parts.push_back(ElementsOf(context->input(i)));
    }
    const Rows rows = RowsAlong(shape, axis, context->num_inputs(), ElementBytes(packed->dtype()));
    OP_REQUIRES_OK(context, Moves::Join(context, rows, parts, ElementsOf(packed)));
  }

 private:
  opsrun::int64 axis_ = 0;
};

// Makes all outputs, of shape `part`: they are `value` cut into equal parts along dimension `axis`.
template <typename Moves>
opsrun::Status CutInto(opsrun::OpKernelContext* context, const opsrun::Tensor& value, opsrun::int64 axis,
                       const opsrun::TensorShape& part) {
  std::vector<char*> parts;
  for (int i = 0; i < context->num_outputs(); ++i) {
    opsrun::Tensor* output = nullptr;
    TF_RETURN_IF_ERROR(context->allocate_output(i, part, &output));
    parts.push_back(ElementsOf(output));
  }
  if (value.NumElements() == 0) return opsrun::Status::OK();
  const Rows rows = RowsAlong(value.shape(), axis, context->num_outputs(), ElementBytes(value.dtype()));
  return Moves::Cut(context, rows, ElementsOf(value), parts);
}

template <typename Moves>
class UnpackOp : public opsrun::OpKernel {
 public:
  explicit UnpackOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("axis", &axis_));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::int64 axis = axis_;
    opsrun::TensorShape part;
    OP_REQUIRES_OK(context, FindUnpacked(context, &axis, &part));
    OP_REQUIRES_OK(context, CutInto<Moves>(context, context->input(0), axis, part));
  }

 private:
  opsrun::int64 axis_ = 0;
};

template <typename Moves>
class SplitOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::int64 axis;
    opsrun::TensorShape part;
    OP_REQUIRES_OK(context, FindSplit(context, &axis, &part));
    OP_REQUIRES_OK(context, CutInto<Moves>(context, context->input(1), axis, part));
  }
};

}  // namespace list_ops
