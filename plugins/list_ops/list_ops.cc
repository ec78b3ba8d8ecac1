// plugins/list_ops/list_ops.cc: AddN and IdentityN.
// SPDX-License-Identifier: Apache-2.0
#include "list_ops.h"

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"

OPSRUN_PLUGIN("list_ops", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "AddN and IdentityN");

namespace list_ops {
namespace {

using namespace shape_inference;

Status Differ(const char* name, int i, const std::string& shape_i, int j, const std::string& shape_j) {
  return errors::InvalidArgument("all ", name, " must have the same shape, but tensor ", i, " is ", shape_i,
                                 " and tensor ", j, " is ", shape_j)
      .Blame(std::string("input:") + name + "." + std::to_string(j));
}

// Compares without Merge, which would report what it infers about other tensors to the host.
bool Contradict(InferenceContext* c, ShapeHandle a, ShapeHandle b) {
  if (!c->RankKnown(a) || !c->RankKnown(b)) return false;
  bool differ = c->Rank(a) != c->Rank(b);
  for (int d = 0; !differ && d < c->Rank(a); ++d) {
    const auto size_a = c->Dim(a, d), size_b = c->Dim(b, d);
    differ = c->ValueKnown(size_a) && c->ValueKnown(size_b) && c->Value(size_a) != c->Value(size_b);
  }
  return differ;
}

// The first tensor before j whose shape contradicts that of tensor j; j - 1 if only several of them together do.
int Contradicts(InferenceContext* c, int j) {
  for (int i = 0; i < j; ++i) {
    if (Contradict(c, c->input(i), c->input(j))) return i;
  }
  return j - 1;
}

Status AddNShape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(MergeAll(c, "inputs", &shape));
  c->set_output(0, shape);
  return Status::OK();
}

struct AddOnCpu {
  template <typename T>
  static Status Run(OpKernelContext* context, const std::vector<const T*>& terms, T* out, int64 n) {
    constexpr int64 kSize = sizeof(T);
    ForBytes(context, n * kSize, [&](int64 begin, int64 end) { AddTerms(terms, out, begin / kSize, end / kSize); });
    return Status::OK();
  }
};

REGISTER_OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: numbertype")
    .SetIsCommutative()
    .SetIsAggregate()
    .Batches("()->()")
    .SetShapeFn(AddNShape)
    .Gradient(R"yaml(
nodes:
  dinputs: {op: Identity, each: inputs, in: grad.sum}
outputs: {inputs: dinputs}
)yaml")
    .Doc(R"doc(
Adds tensors element by element.

Integers that grow too large wrap. float16 and bfloat16 are added as float32 and rounded once.

inputs: Tensors of numbers, all of the same shape.
sum: Their sum, in order from the first to the last.
)doc");

#define REGISTER_ADD_N(T) \
  REGISTER_KERNEL_BUILDER(Name("AddN").Device(DEVICE_CPU).TypeConstraint<T>("T"), AddNOp<T, AddOnCpu>);
TF_CALL_NUMBER_TYPES(REGISTER_ADD_N)
#undef REGISTER_ADD_N

// IdentityN.

// [list]
REGISTER_OP("IdentityN")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type)")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      for (int i = 0; i < c->num_inputs(); ++i) {
        c->set_output(i, c->input(i));
        shape_inference::PassElements(c, i, i);
      }
      return Status::OK();
    })
    .Gradient(R"yaml(
outputs: {input: grad.output}
)yaml")
    .Doc(R"doc(
Returns its inputs unchanged.

It joins several tensors in one node, for example to wait for all of them with `after`.

input: Any tensors, each of a type of its own.
output: The same tensors, in the same order.
)doc");

class IdentityNOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_inputs(); ++i) {
      const Tensor& input = context->input(i);
      Tensor* output = nullptr;
      if (!context->forward_input_to_output_with_shape(i, i, input.shape(), &output)) context->set_output(i, input);
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("IdentityN").Device(DEVICE_CPU), IdentityNOp);
// [/list]

#if GOOGLE_CUDA
// Strings stay in host memory on any device.
REGISTER_KERNEL_BUILDER(Name("IdentityN").Device(DEVICE_GPU).TypeConstraint("T", kFixedSize).Capturable(), IdentityNOp);
#endif  // GOOGLE_CUDA

}  // namespace

Status MergeAll(InferenceContext* c, const char* name, ShapeHandle* shape) {
  *shape = c->input(0);
  for (int j = 1; j < c->num_inputs(); ++j) {
    if (c->Merge(*shape, c->input(j), shape).ok()) continue;
    const int i = Contradicts(c, j);
    return Differ(name, i, c->DebugString(c->input(i)), j, c->DebugString(c->input(j)));
  }
  return Status::OK();
}

Status CheckOneShape(OpKernelContext* context, const char* name) {
  const TensorShape first = context->input(0).shape();
  for (int j = 1; j < context->num_inputs(); ++j) {
    const TensorShape shape = context->input(j).shape();
    if (shape != first) return Differ(name, 0, first.DebugString(), j, shape.DebugString());
  }
  return Status::OK();
}

}  // namespace list_ops
