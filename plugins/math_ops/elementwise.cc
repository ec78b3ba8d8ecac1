// plugins/math_ops/elementwise.cc: see elementwise.h; and kernels for strings.
// SPDX-License-Identifier: Apache-2.0
#include "elementwise.h"

#include "any_device.h"
#include "opsrun/tstring.h"

namespace math_ops {
namespace {

Walk WalkOf(const Run& run) {
  if (run.walks[0] == run.walks[1]) return Walk::kBoth;  // neither advances: the run has one element
  return run.walks[0] ? Walk::kX : Walk::kY;
}

// Whether the result has the shape of `other`.
bool IsNumberFor(const Tensor& number, const Tensor& other) {
  return number.NumElements() == 1 && number.dims() <= other.dims();
}

}  // namespace

void UnaryKernel::Compute(OpKernelContext* context) {
  const Tensor& input = context->input(0);
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, MakeOutput(context, {0}, input.shape(), &output));
  const char* const in = static_cast<const char*>(input.data());
  char* const out = static_cast<char*>(output->data());
  const int64 in_size = DataTypeSize(input_type(0)), out_size = DataTypeSize(output_type(0));
  ForElements(context, input.NumElements(), picoseconds_,
              [&](int64 begin, int64 end) { loop_(in + begin * in_size, out + begin * out_size, end - begin); });
}

void BinaryKernel::Compute(OpKernelContext* context) {
  const Tensor &x = context->input(0), &y = context->input(1);
  if (x.IsSameSize(y)) return ComputeSimple(context, Walk::kBoth);
  if (IsNumberFor(y, x)) return ComputeSimple(context, Walk::kX);
  if (IsNumberFor(x, y)) return ComputeSimple(context, Walk::kY);
  Broadcast broadcast;
  OP_REQUIRES_OK(context, broadcast.Make({x.shape(), y.shape()}));
  ComputeBroadcast(context, broadcast, broadcast.shape());
}

void BinaryKernel::ComputeBroadcast(OpKernelContext* context, const Broadcast& broadcast, const TensorShape& shape) {
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, MakeOutput(context, {0, 1}, shape, &output));
  const char* const x = static_cast<const char*>(context->input(0).data());
  const char* const y = static_cast<const char*>(context->input(1).data());
  char* const out = static_cast<char*>(output->data());
  const int64 in_size = DataTypeSize(input_type(0)), out_size = DataTypeSize(output_type(0));
  FirstProblem first;
  const auto run_blocks = [&](int64 begin, int64 end) {
    constexpr int64 kBlock = 1024;
    alignas(64) char x_block[kBlock * sizeof(complex128)], y_block[sizeof(x_block)];
    for (; begin < end; begin += kBlock) {
      const int64 n = std::min(kBlock, end - begin);
      const int64 done = loop_(Walk::kBoth, broadcast.Read(0, begin, n, in_size, x, x_block),
                               broadcast.Read(1, begin, n, in_size, y, y_block), out + begin * out_size, n);
      if (done < n) first.Found(begin + done);
    }
  };
  ForElements(context, shape.num_elements(), picoseconds_, [&](int64 begin, int64 end) {
    if (broadcast.has_short_runs()) return run_blocks(begin, end);
    broadcast.ForRuns(begin, end, [&](const Run& run) {
      const int64 done =
          loop_(WalkOf(run), x + run.at[0] * in_size, y + run.at[1] * in_size, out + run.out * out_size, run.n);
      if (done < run.n) first.Found(run.out + done);
    });
  });
  OP_REQUIRES(context, first.none(), first.ToStatus(problem_, shape));
}

// The most frequent cases, which need no Broadcast: a tensor and one of its shape, or a number.
void BinaryKernel::ComputeSimple(OpKernelContext* context, Walk walk) {
  const Tensor &x = context->input(0), &y = context->input(1);
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, MakeOutput(context, {0, 1}, walk == Walk::kY ? y.shape() : x.shape(), &output));
  const auto *const xs = static_cast<const char*>(x.data()), *const ys = static_cast<const char*>(y.data());
  char* const out = static_cast<char*>(output->data());
  const int64 in_size = DataTypeSize(input_type(0)), out_size = DataTypeSize(output_type(0));
  const int64 x_size = walk == Walk::kY ? 0 : in_size, y_size = walk == Walk::kX ? 0 : in_size;
  FirstProblem first;
  ForElements(context, output->NumElements(), picoseconds_, [&](int64 begin, int64 end) {
    const int64 n = end - begin;
    const int64 done = loop_(walk, xs + begin * x_size, ys + begin * y_size, out + begin * out_size, n);
    if (done < n) first.Found(begin + done);
  });
  OP_REQUIRES(context, first.none(), first.ToStatus(problem_, output->shape()));
}

// Kernels for strings, whose elements cannot be copied as bytes: Add, Equal, NotEqual, Select and SelectV2.

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
