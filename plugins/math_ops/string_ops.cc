// plugins/math_ops/string_ops.cc: kernels for strings, whose elements cannot be copied as bytes: Add, Equal, NotEqual,
// Select and SelectV2.
// SPDX-License-Identifier: Apache-2.0
#include "comparison_ops.h"
#include "opsrun/tstring.h"
#include "select.h"

namespace math_ops {
namespace {

using namespace opsrun;

struct Concatenate {
  tstring operator()(const tstring& x, const tstring& y) const {
    std::string both(x.data(), x.size());
    return both.append(y.data(), y.size());
  }
};
struct SameText {
  bool operator()(const tstring& x, const tstring& y) const { return std::string_view(x) == std::string_view(y); }
};
struct OtherText {
  bool operator()(const tstring& x, const tstring& y) const { return !SameText()(x, y); }
};

// out = fn(x, y) for each element of the broadcast. Single-threaded, because allocating the strings dominates.
template <typename Function>
class StringOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor &x = context->input(0), &y = context->input(1);
    Broadcast broadcast;
    OP_REQUIRES_OK(context, broadcast.Make({x.shape(), y.shape()}));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, broadcast.shape(), &output));
    const auto xs = x.flat<tstring>(), ys = y.flat<tstring>();
    auto out = output->flat<decltype(Function()(xs(0), ys(0)))>();
    broadcast.ForRuns(0, output->NumElements(), [&](const Run& run) {
      for (int64 i = 0; i < run.n; ++i)
        out(run.out + i) = Function()(xs(run.at[0] + (run.walks[0] ? i : 0)), ys(run.at[1] + (run.walks[1] ? i : 0)));
    });
  }
};

Status ChooseStrings(OpKernelContext* context, const Broadcast& broadcast, Tensor* output) {
  const auto condition = context->input(0).flat<bool>();
  const auto t = context->input(1).flat<tstring>(), e = context->input(2).flat<tstring>();
  auto out = output->flat<tstring>();
  broadcast.ForRuns(0, output->NumElements(), [&](const Run& run) {
    for (int64 i = 0; i < run.n; ++i) {
      const auto at = [&](int operand) { return run.at[operand] + (run.walks[operand] ? i : 0); };
      out(run.out + i) = condition(at(0)) ? t(at(1)) : e(at(2));
    }
  });
  return Status::OK();
}

#define STRING_KERNEL(name) Name(name).Device(DEVICE_CPU).TypeConstraint<tstring>("T")
typedef EqualOp<StringOp<SameText>> StringEqualOp;
typedef EqualOp<StringOp<OtherText>, true> StringNotEqualOp;
typedef SelectOp<SelectConditionShape, ChooseStrings> StringSelectOp;
typedef SelectOp<SelectV2ConditionShape, ChooseStrings> StringSelectV2Op;
REGISTER_KERNEL_BUILDER(STRING_KERNEL("Add"), StringOp<Concatenate>)
REGISTER_KERNEL_BUILDER(STRING_KERNEL("Equal"), StringEqualOp)
REGISTER_KERNEL_BUILDER(STRING_KERNEL("NotEqual"), StringNotEqualOp)
REGISTER_KERNEL_BUILDER(STRING_KERNEL("Select"), StringSelectOp)
REGISTER_KERNEL_BUILDER(STRING_KERNEL("SelectV2"), StringSelectV2Op)

}  // namespace
}  // namespace math_ops
