// plugins/pad/border_op.h: the kernels of Pad, PadV2, MirrorPad and MirrorPadGrad, for any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "border_kernel.h"
#include "opsrun/check_shapes.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"

namespace pad {

using namespace opsrun;

// Errors in the input `paddings` name the row and its numbers.
inline constexpr int kInput = 0, kPaddings = 1;

// The attr `mode` of MirrorPad. Context: OpKernelConstruction or InferenceContext.
template <typename Context>
Status GetMirror(Context* context, Border* border) {
  std::string mode;
  TF_RETURN_IF_ERROR(context->GetAttr("mode", &mode));
  *border = mode == "REFLECT" ? Border::kReflect : Border::kSymmetric;
  return Status::OK();
}

// The size of an element in its tensor.
inline int64_t ElementBytes(DataType type) {
  return type == DT_STRING ? int64_t{sizeof(tstring)} : DataTypeSize(type);
}

// INVALID_ARGUMENT: the ranks of input and paddings do not match, or are not supported.
Status CheckShapes(OpKernelContext* context);
// The input's dimensions with the given borders. Requires: CheckShapes returned OK.
void ReadAxes(OpKernelContext* context, Axis* axes);
// INVALID_ARGUMENT: a border of axis i is negative, or larger than what it mirrors.
Status CheckBorder(const Axis& axis, int i, Border border);
// Subtracts the border from the size of the axis, which includes it. The same errors.
Status TakeBorderOff(Axis* axis, int i, Border border);
// Makes output 0. *done: it is complete, because it has no elements or equals the input, whose memory it may share.
// INVALID_ARGUMENT: the output is too large.
Status MakeOutput(OpKernelContext* context, const Axis* axes, Tensor** output, bool* done);

// The shape function of Pad and PadV2.
Status PadShape(shape_inference::InferenceContext* c);
// Of MirrorPad: the same, and borders must not be larger than what they mirror, as far as that is known.
Status MirrorPadShape(shape_inference::InferenceContext* c);
// Of MirrorPadGrad: removes the borders.
Status MirrorPadGradShape(shape_inference::InferenceContext* c);

// Base of the kernels: the kind of border that the op has.
class BorderKernel : public OpKernel {
 public:
  explicit BorderKernel(OpKernelConstruction* context) : OpKernel(context) {
    if (context->HasAttr("mode")) OP_REQUIRES_OK(context, GetMirror(context, &border_));
  }

 protected:
  Border border_ = Border::kConstant;
};

inline constexpr int kConstant = 2;  // the input of PadV2

// The constant of PadV2, or NULL for the other ops.
inline const Tensor* ConstantOf(OpKernelContext* context) {
  return context->num_inputs() > kConstant ? &context->input(kConstant) : nullptr;
}

// kWrite writes all elements of the output from input 0; it is called only if there are any. The axes are the input's.
template <Status (*kWrite)(OpKernelContext*, Border, const Axis* axes, Tensor* output)>
class BorderOp : public BorderKernel {
 public:
  using BorderKernel::BorderKernel;

  void Compute(OpKernelContext* context) override {
    Axis axes[kMaxRank];
    OP_REQUIRES_OK(context, CheckShapes(context));
    const Tensor* const constant = ConstantOf(context);
    if (constant != nullptr) OP_REQUIRES_OK(context, CheckScalar(constant->shape(), "constant_values"));
    ReadAxes(context, axes);
    const int rank = context->input(kInput).dims();
    for (int i = 0; i < rank; ++i) OP_REQUIRES_OK(context, CheckBorder(axes[i], i, border_));
    Tensor* output = nullptr;
    bool done = false;
    OP_REQUIRES_OK(context, MakeOutput(context, axes, &output, &done));
    if (!done) OP_REQUIRES_OK(context, kWrite(context, border_, axes, output));
  }
};

// Calls write(begin, end) on disjoint ranges that cover [0, total), on several threads if the output is large. Each
// index is `unit_bytes` of output. Ranges begin at multiples of a block, so that threads rarely share a page.
// [shard]
template <typename Write>
void ForBlocks(OpKernelContext* context, int64_t total, int64_t unit_bytes, const Write& write) {
  constexpr int64_t kBlockBytes = 64 << 10;
  constexpr int64_t kBytesPerNanosecond = 8;
  const int64_t block = std::max<int64_t>(kBlockBytes / unit_bytes, 1);
  if (total <= block) return write(int64_t{0}, total);
  const int64_t blocks = (total - 1) / block + 1;
  const int64_t cost = block * unit_bytes / kBytesPerNanosecond + 1;
  Shard(context, blocks, cost,
        [&](int64_t begin, int64_t end) { write(begin * block, end == blocks ? total : end * block); });
}
// [/shard]

// What the kernels move: bytes, or for strings the address of each, from which the strings are copied at the end.
class Moved {
 public:
  // Both tensors have the same type and must outlive this object.
  Moved(const Tensor& input, Tensor* output) : input_(input), output_(output) {
    if (!AreStrings()) return;
    const auto strings = input.flat<tstring>();
    from_.reserve(static_cast<size_t>(strings.size()));
    for (int64_t i = 0; i < strings.size(); ++i) from_.push_back(&strings(i));
    to_.resize(static_cast<size_t>(output->NumElements()));
  }
  Moved(const Moved&) = delete;

  // The arguments of the kernel: the size of an element, and input and output.
  int64_t size() const { return AreStrings() ? int64_t{sizeof(Address)} : DataTypeSize(input_.dtype()); }
  const void* from() const { return AreStrings() ? from_.data() : input_.data(); }
  void* to() { return AreStrings() ? to_.data() : output_->data(); }

  // Called when all elements are in place: copies the strings.
  void Finish(OpKernelContext* context) {
    if (!AreStrings()) return;
    constexpr int64_t kBytesOfAString = 256;  // bytes that could be moved in the time of copying a string
    auto strings = output_->flat<tstring>();
    ForBlocks(context, strings.size(), kBytesOfAString, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) strings(i) = *to_[static_cast<size_t>(i)];
    });
  }

 private:
  using Address = const tstring*;

  bool AreStrings() const { return input_.dtype() == DT_STRING; }

  const Tensor& input_;
  Tensor* output_;
  std::vector<Address> from_, to_;
};

// The kernel of MirrorPadGrad. Fold::Run(context, axis, border, outer, inner, in, out): FoldAxis for all outer indices.
class MirrorPadGradKernel : public BorderKernel {
 public:
  using BorderKernel::BorderKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(kInput);
    Axis axes[kMaxRank];
    OP_REQUIRES_OK(context, CheckShapes(context));
    ReadAxes(context, axes);
    TensorShape shape = input.shape();
    int last = -1;
    for (int i = 0; i < input.dims(); ++i) {
      OP_REQUIRES_OK(context, TakeBorderOff(&axes[i], i, border_));
      shape.set_dim(i, axes[i].size);
      if (axes[i].HasBorder()) last = i;
    }
    if (last < 0) return context->set_output(0, input);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() > 0) OP_REQUIRES_OK(context, FoldAll(context, axes, last, output));
  }

 protected:
  // Folds the border of dimension i. Tensors have elements of the op's type or sums of them.
  virtual Status FoldOne(OpKernelContext* context, const Axis& axis, int i, const Tensor& from, Tensor* to) const = 0;

 private:
  // The first dimension with a border reads the input, the last one writes the output.
  Status FoldAll(OpKernelContext* context, const Axis* axes, int last, Tensor* output) const {
    const Tensor* from = &context->input(kInput);
    const bool is_16_bit_float = output->dtype() == DT_HALF || output->dtype() == DT_BFLOAT16;
    const DataType sums = is_16_bit_float ? DT_FLOAT : output->dtype();
    Tensor folded;
    for (int i = 0; i <= last; ++i) {
      if (!axes[i].HasBorder()) continue;
      TensorShape shape = from->shape();
      shape.set_dim(i, axes[i].size);
      Tensor next;
      if (i < last) TF_RETURN_IF_ERROR(context->allocate_temp(sums, shape, &next));
      TF_RETURN_IF_ERROR(FoldOne(context, axes[i], i, *from, i < last ? &next : output));
      folded = next;
      from = &folded;
    }
    return Status::OK();
  }
};

template <typename T, typename Fold>
class MirrorPadGradOp : public MirrorPadGradKernel {
 public:
  using MirrorPadGradKernel::MirrorPadGradKernel;

 protected:
  Status FoldOne(OpKernelContext* context, const Axis& axis, int i, const Tensor& from, Tensor* to) const override {
    int64_t outer = 1, inner = 1;
    for (int k = 0; k < i; ++k) outer *= from.dim_size(k);
    for (int k = i + 1; k < from.dims(); ++k) inner *= from.dim_size(k);
    const auto fold = [&](const auto* in, auto* out) {
      return Fold::Run(context, axis, border_, outer, inner, in, out);
    };
    const auto fold_from = [&](const auto* in) {
      return to->dtype() == DataTypeToEnum<T>::value ? fold(in, to->flat<T>().data())
                                                     : fold(in, to->flat<SumOf<T>>().data());
    };
    return from.dtype() == DataTypeToEnum<T>::value ? fold_from(from.flat<T>().data())
                                                    : fold_from(from.flat<SumOf<T>>().data());
  }
};

}  // namespace pad
