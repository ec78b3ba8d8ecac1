// plugins/math_ops/string_ops.cc: kernels for strings, whose elements cannot be copied as bytes: Add, Equal, NotEqual,
// Select and SelectV2.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/tstring.h"
#include "select.h"
#include "shape_rules.h"

namespace math_ops {
namespace {

struct Concatenate {
  tstring operator()(const tstring& x, const tstring& y) const {
    std::string both(x.data(), x.size());
    return both.append(y.data(), y.size());
  }
};
struct SameText {
  bool operator()(std::string_view x, std::string_view y) const { return x == y; }
};
struct OtherText {
  bool operator()(std::string_view x, std::string_view y) const { return x != y; }
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

#define REGISTER_FOR_STRINGS(name, ...) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU).TypeConstraint<tstring>("T"), __VA_ARGS__)
REGISTER_FOR_STRINGS("Add", StringOp<Concatenate>)
REGISTER_FOR_STRINGS("Equal", EqualOp<StringOp<SameText>, false>)
REGISTER_FOR_STRINGS("NotEqual", EqualOp<StringOp<OtherText>, true>)
REGISTER_FOR_STRINGS("Select", SelectOp<SelectConditionShape, ChooseStrings>)
REGISTER_FOR_STRINGS("SelectV2", SelectOp<SelectV2ConditionShape, ChooseStrings>)

}  // namespace
}  // namespace math_ops
