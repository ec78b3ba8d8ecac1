// plugins/pad/border_op.h: kernels and helpers that all border ops share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/shard.h"
#include "opsrun/tstring.h"
#include "paddings.h"

namespace pad {

// The attr `mode` of MirrorPad.

// Context: OpKernelConstruction or InferenceContext.
template <typename Context>
opsrun::Status GetEdge(Context* context, Edge* edge) {
  std::string mode;
  TF_RETURN_IF_ERROR(context->GetAttr("mode", &mode));
  *edge = mode == "REFLECT" ? Edge::kOnce : Edge::kRepeated;
  return opsrun::Status::OK();
}

inline constexpr int kConstant = 2;  // the input of PadV2

// The contents of a border. Read is called at construction, Check in each call, CheckAxis for each dimension.
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

// kWrite writes all elements of the output from input 0; it is called only if there are any. The axes are the input's.
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

// A loop over the parts of an output, on the host's threads where that pays.

// Calls write(begin, end) on disjoint ranges that cover [0, total), on several threads if the output is large. Each
// index is `unit_bytes` of output. Ranges begin at multiples of a block, so that threads rarely share a page.
// [shard]
template <typename Write>
void ForBlocks(opsrun::OpKernelContext* context, int64_t total, int64_t unit_bytes, const Write& write) {
  constexpr int64_t kBlockBytes = 64 << 10;
  constexpr int64_t kBytesPerNanosecond = 8;
  const int64_t block = std::max<int64_t>(kBlockBytes / unit_bytes, 1);
  if (total <= block) return write(int64_t{0}, total);
  const int64_t blocks = (total - 1) / block + 1;
  const int64_t cost = block * unit_bytes / kBytesPerNanosecond + 1;
  opsrun::Shard(context, blocks, cost,
                [&](int64_t begin, int64_t end) { write(begin * block, end == blocks ? total : end * block); });
}
// [/shard]

// What the kernels move: the elements of a tensor, or the addresses of its strings.
//
// The kernels copy elements as bytes, which is not possible for strings. So for strings they move the address of each
// string instead, and once every address is in place, the strings are copied from there.

// The size of an element in the tensor.
inline int64_t ElementBytes(opsrun::DataType type) {
  return type == opsrun::DT_STRING ? int64_t{sizeof(opsrun::tstring)} : opsrun::DataTypeSize(type);
}

class Moved {
 public:
  // Both tensors have the same type and must outlive this object.
  Moved(const opsrun::Tensor& input, opsrun::Tensor* output) : input_(input), output_(output) {
    if (!AreStrings()) return;
    const auto strings = input.flat<opsrun::tstring>();
    from_.reserve(static_cast<size_t>(strings.size()));
    for (int64_t i = 0; i < strings.size(); ++i) from_.push_back(&strings(i));
    to_.resize(static_cast<size_t>(output->NumElements()));
  }
  Moved(const Moved&) = delete;

  // The arguments of the kernel: the size of an element, and input and output.
  int64_t size() const { return AreStrings() ? int64_t{sizeof(Address)} : opsrun::DataTypeSize(input_.dtype()); }
  const void* from() const { return AreStrings() ? from_.data() : input_.data(); }
  void* to() { return AreStrings() ? to_.data() : output_->data(); }

  // Called when all elements are in place: copies the strings.
  void Finish(opsrun::OpKernelContext* context) {
    if (!AreStrings()) return;
    constexpr int64_t kBytesOfAString = 256;  // bytes that could be moved in the time of copying a string
    auto strings = output_->flat<opsrun::tstring>();
    ForBlocks(context, strings.size(), kBytesOfAString, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) strings(i) = *to_[static_cast<size_t>(i)];
    });
  }

 private:
  using Address = const opsrun::tstring*;

  bool AreStrings() const { return input_.dtype() == opsrun::DT_STRING; }

  const opsrun::Tensor& input_;
  opsrun::Tensor* output_;
  std::vector<Address> from_, to_;
};

}  // namespace pad
