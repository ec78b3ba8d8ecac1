// tests/graphs/ops/test_gradients.cc: ops with gradients for tests of whole graphs: right, wrong and none at all.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/shape_inference.h"

OPSRUN_PLUGIN("test_gradients", "1.0.0");

namespace opsrun {
namespace {

using shape_inference::InferenceContext;
using shape_inference::UnchangedShape;

Status ScalarShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Scalar());
  return Status::OK();
}

Status EqualShapes(InferenceContext* c) {
  shape_inference::ShapeHandle shape = c->input(0);
  for (int i = 1; i < c->num_inputs(); ++i) TF_RETURN_IF_ERROR(c->Merge(shape, c->input(i), &shape));
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, shape);
  return Status::OK();
}

Status FillLikeShape(InferenceContext* c) {
  shape_inference::ShapeHandle scalar;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &scalar));
  c->set_output(0, c->input(1));
  return Status::OK();
}

Status PowersShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->input(0));
  return Status::OK();
}

Status ShapeOfEach(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->input(i));
  return Status::OK();
}

Status RowsAndRow(InferenceContext* c) {
  shape_inference::ShapeHandle rows, row;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &rows));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &row));
  shape_inference::DimensionHandle size;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(rows, 1), c->Dim(row, 0), &size));
  c->set_output(0, c->Matrix(c->Dim(rows, 0), size));
  return Status::OK();
}

#define T_ATTR Attr("T: {float, double}")

// ---- Right ones

REGISTER_OP("TestMul").T_ATTR.Input("x: T").Input("y: T").Output("z: T").SetShapeFn(EqualShapes).Gradient(R"yaml(
nodes:
  dx: {op: TestMul, in: [grad.z, y]}
  dy: {op: TestMul, in: [grad.z, x]}
outputs: {x: dx, y: dy}
)yaml");

REGISTER_OP("TestScale")
    .T_ATTR.Attr("factor: float")
    .Input("x: T")
    .Output("y: T")
    .SetShapeFn(UnchangedShape)
    .Gradient(R"yaml(
nodes:
  dx: {op: TestScale, in: grad.y, attrs: {factor: {attr: factor}}}
outputs: {x: dx}
)yaml");

// Needs its output, not its input.
REGISTER_OP("TestExp").T_ATTR.Input("x: T").Output("y: T").SetShapeFn(UnchangedShape).Gradient(R"yaml(
nodes:
  dx: {op: TestMul, in: [grad.y, y]}
outputs: {x: dx}
)yaml");

REGISTER_OP("TestSum").T_ATTR.Input("x: T").Output("sum: T").SetShapeFn(ScalarShape).Gradient(R"yaml(
nodes:
  dx: {op: TestFillLike, in: [grad.sum, x]}
outputs: {x: dx}
)yaml");

REGISTER_OP("TestFillLike")
    .T_ATTR.Input("value: T")
    .Input("like: T")
    .Output("filled: T")
    .SetShapeFn(FillLikeShape)
    .Gradient(R"yaml(
nodes:
  dvalue: {op: TestSum, in: grad.filled}
outputs: {value: dvalue, like: null}
)yaml");

// Two outputs, of which a graph may use one.
REGISTER_OP("TestPowers")
    .T_ATTR.Input("x: T")
    .Output("square: T")
    .Output("cube: T")
    .SetShapeFn(PowersShape)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: T}}
nodes:
  two_x: {op: TestScale, in: x, attrs: {factor: 2}}
  three_squares: {op: TestScale, in: square, attrs: {factor: 3}}
  from_square: {op: TestMul, in: [grad.square, two_x]}
  from_cube: {op: TestMul, in: [grad.cube, three_squares]}
  both: {op: AddN, in: [from_square, from_cube]}
outputs: {x: both}
)yaml");

// Lists: each element twice.
REGISTER_OP("TestTwiceEach")
    .Attr("N: int >= 1")
    .T_ATTR.Input("values: N * T")
    .Output("twice: N * T")
    .SetShapeFn(ShapeOfEach)
    .Gradient(R"yaml(
nodes:
  d: {op: TestScale, each: grad.twice, in: grad.twice, attrs: {factor: 2}}
outputs: {values: d}
)yaml");

// Each element times the first factor: two lists of one length, walked through together.
// [each]
REGISTER_OP("TestMulEach")
    .Attr("N: int >= 1")
    .Attr("T: {float, double}")
    .Input("a: N * T")
    .Input("b: N * T")
    .Output("products: N * T")
    .SetShapeFn(EqualShapes)
    .Gradient(R"yaml(
nodes:
  da: {op: Mul, each: [grad.products, b], in: [grad.products, b]}
  db: {op: Mul, each: [grad.products, a], in: [grad.products, a]}
outputs: {a: da, b: db}
)yaml");
// [/each]

// Each row of x times the weights.
// [broadcast]
REGISTER_OP("TestWeigh")
    .Attr("T: {float, double}")
    .Input("x: T")
    .Input("weights: T")
    .Output("weighted: T")
    .SetShapeFn(RowsAndRow)
    .Gradient(R"yaml(
nodes:
  dx: {op: Mul, in: [grad.weighted, weights]}
  products: {op: Mul, in: [grad.weighted, x]}
  shape: {op: Shape, in: weights}
  dweights: {op: SumToShape, in: [products, shape]}
outputs: {x: dx, weights: dweights}
)yaml");
// [/broadcast]

REGISTER_OP("TestUndeclared").T_ATTR.Input("x: T").Output("y: T").SetShapeFn(UnchangedShape);
REGISTER_OP("TestFlat").T_ATTR.Input("x: T").Output("y: T").SetShapeFn(UnchangedShape).NotDifferentiable();

// ---- Ones that are invalid

#define TEST_INVALID(name, ...)   \
  REGISTER_OP(name)               \
      .T_ATTR.Input("x: T")       \
      .Input("n: int32")          \
      .Output("y: T")             \
      .SetShapeFn(UnchangedShape) \
      .Gradient(__VA_ARGS__)

TEST_INVALID("TestNoSuchInput", R"yaml(
outputs: {x: grad.y, m: null}
)yaml");
TEST_INVALID("TestLeavesOut", R"yaml(
outputs: {x: grad.y}
)yaml");
TEST_INVALID("TestNoSuchName", R"yaml(
nodes:
  dx: {op: TestMul, in: [grad.y, z]}
outputs: {x: dx, n: null}
)yaml");
TEST_INVALID("TestNoSuchOutput", R"yaml(
outputs: {x: grad.z, n: null}
)yaml");
TEST_INVALID("TestNoSuchOp", R"yaml(
nodes:
  dx: {op: TestMull, in: [grad.y, x]}
outputs: {x: dx, n: null}
)yaml");
TEST_INVALID("TestNoSuchAttr", R"yaml(
nodes:
  dx: {op: TestScale, in: grad.y, attrs: {factor: {attr: factr}}}
outputs: {x: dx, n: null}
)yaml");
TEST_INVALID("TestCircle", R"yaml(
nodes:
  a: {op: TestMul, in: [grad.y, b]}
  b: {op: TestScale, in: a, attrs: {factor: 1}}
outputs: {x: b, n: null}
)yaml");
TEST_INVALID("TestWrongType", R"yaml(
outputs: {x: n, n: null}
)yaml");
TEST_INVALID("TestWrongShape", R"yaml(
nodes:
  sum: {op: TestSum, in: grad.y}
outputs: {x: sum, n: null}
)yaml");
TEST_INVALID("TestEachOfNoList", R"yaml(
nodes:
  dx: {op: TestMul, each: x, in: [grad.y, x]}
outputs: {x: dx, n: null}
)yaml");
TEST_INVALID("TestNoYaml", R"yaml(
nodes:
  dx: {op: TestMul, in: [grad.y, x]
outputs: {x: dx, n: null}
)yaml");
TEST_INVALID("TestNoOutputs", R"yaml(
nodes:
  dx: {op: TestMul, in: [grad.y, x]}
)yaml");
TEST_INVALID("TestNoMap", "grad.y");
TEST_INVALID("TestUnknownKey", R"yaml(
node:
  dx: {op: TestMul, in: [grad.y, x]}
outputs: {x: dx, n: null}
)yaml");
TEST_INVALID("TestDeclaredFeed", R"yaml(
feeds:
  c: {dtype: float32}
outputs: {x: grad.y, n: null}
)yaml");
TEST_INVALID("TestNameTaken", R"yaml(
nodes:
  x: {op: TestScale, in: grad.y, attrs: {factor: 1}}
outputs: {x: x, n: null}
)yaml");
TEST_INVALID("TestNoKernelHere", R"yaml(
nodes:
  dx: {op: TestNoKernelYet, in: grad.y}
outputs: {x: dx, n: null}
)yaml");
TEST_INVALID("TestBlank", "\n \n");
TEST_INVALID("TestEmptyOutputs", R"yaml(
outputs: {}
)yaml");
TEST_INVALID("TestEscape", "outputs: {x: \x1b, n: null}");
TEST_INVALID("TestOtherFormat", R"yaml(
opsrun: 9
outputs: {x: grad.y, n: null}
)yaml");
TEST_INVALID("TestLargeFill", R"yaml(
feeds:
  ones: {fill: 1, shape: [1000, 1000, 1000], dtype: {attr: T}}
nodes:
  dx: {op: TestMul, in: [grad.y, ones]}
outputs: {x: dx, n: null}
)yaml");
TEST_INVALID("TestBoth", "outputs: {x: grad.y, n: null}").NotDifferentiable();
REGISTER_OP("TestNoKernelYet").T_ATTR.Input("x: T").Output("y: T").SetShapeFn(UnchangedShape);

// ---- Ones that are wrong: only numbers show it

REGISTER_OP("TestWrongFactor").T_ATTR.Input("x: T").Output("square: T").SetShapeFn(UnchangedShape).Gradient(R"yaml(
nodes:
  dx: {op: TestMul, in: [grad.square, x]}
outputs: {x: dx}
)yaml");

// A product of square matrices, with the wrong one transposed.
REGISTER_OP("TestProduct")
    .T_ATTR.Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .SetShapeFn([](InferenceContext* c) {
      shape_inference::ShapeHandle matrix;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &matrix));
      TF_RETURN_IF_ERROR(c->Merge(matrix, c->input(1), &matrix));
      shape_inference::DimensionHandle size;
      TF_RETURN_IF_ERROR(c->Merge(c->Dim(matrix, 0), c->Dim(matrix, 1), &size));
      c->set_output(0, c->Matrix(size, size));
      return Status::OK();
    })
    .Gradient(R"yaml(
nodes:
  da: {op: TestProduct, in: [grad.product, b]}
  db: {op: TestProduct, in: [a, grad.product], attrs: {transpose_a: true}}
outputs: {a: da, b: db}
)yaml");

// x + b, where b is a scalar: its gradient is the sum, not the first one.
REGISTER_OP("TestAddScalar")
    .T_ATTR.Input("x: T")
    .Input("b: T")
    .Output("sum: T")
    .SetShapeFn([](InferenceContext* c) {
      shape_inference::ShapeHandle scalar;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &scalar));
      c->set_output(0, c->input(0));
      return Status::OK();
    })
    .Gradient(R"yaml(
nodes:
  db: {op: TestFirst, in: grad.sum}
outputs: {x: grad.sum, b: db}
)yaml");
REGISTER_OP("TestFirst").T_ATTR.Input("x: T").Output("first: T").SetShapeFn(ScalarShape).NotDifferentiable();

// x * x * y, whose gradient forgets one of the factors.
REGISTER_OP("TestMissingPath")
    .T_ATTR.Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .SetShapeFn(EqualShapes)
    .Gradient(R"yaml(
nodes:
  xx: {op: TestMul, in: [x, x]}
  dy: {op: TestMul, in: [grad.z, xx]}
outputs: {x: null, y: dy}
)yaml");

// An attr whose value has no entry.
TEST_INVALID("TestNoSuchEntry", R"yaml(
outputs: {x: {attr: T, int8: grad.y, int16: x}, n: null}
)yaml");

// ---- Kernels

// Calls Run(inputs, outputs) with arrays of the element type; all outputs have the shape of input `kLike`.
template <typename T, typename Body, int kLike>
class ArraysOp : public OpKernel {
 public:
  explicit ArraysOp(OpKernelConstruction* context) : OpKernel(context), body_(context) {}

  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_outputs(); ++i) {
      Tensor* output = nullptr;
      const TensorShape shape = kLike == kEach   ? context->input(i).shape()
                                : kLike == kNone ? TensorShape()
                                                 : context->input(kLike).shape();
      OP_REQUIRES_OK(context, context->allocate_output(i, shape, &output));
    }
    body_.Run(context);
  }

  static constexpr int kEach = -1, kNone = -2;

 private:
  Body body_;
};

template <typename T>
const T* In(OpKernelContext* context, int i) {
  return context->input(i).flat<T>().data();
}
template <typename T>
T* Out(OpKernelContext* context, int i) {
  return context->mutable_output(i)->flat<T>().data();
}
int64 Size(OpKernelContext* context, int i) {
  return context->input(i).NumElements();
}

#define TEST_BODY(name, ...)                           \
  template <typename T>                                \
  struct name##Body {                                  \
    explicit name##Body(OpKernelConstruction*) {}      \
    void Run(OpKernelContext* c) const { __VA_ARGS__ } \
  };

TEST_BODY(Mul, for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = In<T>(c, 0)[i] * In<T>(c, 1)[i];)
TEST_BODY(
    Weigh, for (int64 i = 0; i < Size(c, 0); ++i) { Out<T>(c, 0)[i] = In<T>(c, 0)[i] * In<T>(c, 1)[i % Size(c, 1)]; })
TEST_BODY(Exp, for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = std::exp(In<T>(c, 0)[i]);)
TEST_BODY(Sum, T sum = 0; for (int64 i = 0; i < Size(c, 0); ++i) sum += In<T>(c, 0)[i]; Out<T>(c, 0)[0] = sum;)
TEST_BODY(FillLike, for (int64 i = 0; i < Size(c, 1); ++i) Out<T>(c, 0)[i] = In<T>(c, 0)[0];)
TEST_BODY(First, Out<T>(c, 0)[0] = Size(c, 0) > 0 ? In<T>(c, 0)[0] : 0;)
TEST_BODY(Same, for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = In<T>(c, 0)[i];)
TEST_BODY(Square, for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = In<T>(c, 0)[i] * In<T>(c, 0)[i];)
TEST_BODY(AddScalar, for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = In<T>(c, 0)[i] + In<T>(c, 1)[0];)
TEST_BODY(
    XXY, for (int64 i = 0; i < Size(c, 0); ++i) { Out<T>(c, 0)[i] = In<T>(c, 0)[i] * In<T>(c, 0)[i] * In<T>(c, 1)[i]; })
TEST_BODY(
    Powers, for (int64 i = 0; i < Size(c, 0); ++i) {
      Out<T>(c, 0)[i] = In<T>(c, 0)[i] * In<T>(c, 0)[i];
      Out<T>(c, 1)[i] = Out<T>(c, 0)[i] * In<T>(c, 0)[i];
    })
TEST_BODY(
    TwiceEach, for (int n = 0; n < c->num_outputs(); ++n) {
      for (int64 i = 0; i < Size(c, n); ++i) Out<T>(c, n)[i] = 2 * In<T>(c, n)[i];
    })
TEST_BODY(
    MulEach, for (int n = 0; n < c->num_outputs(); ++n) {
      for (int64 i = 0; i < Size(c, n); ++i) Out<T>(c, n)[i] = In<T>(c, n)[i] * In<T>(c, c->num_outputs() + n)[i];
    })

template <typename T>
struct ScaleBody {
  explicit ScaleBody(OpKernelConstruction* context) { OP_REQUIRES_OK(context, context->GetAttr("factor", &factor)); }
  void Run(OpKernelContext* c) const {
    for (int64 i = 0; i < Size(c, 0); ++i) Out<T>(c, 0)[i] = static_cast<T>(factor) * In<T>(c, 0)[i];
  }
  float factor = 1;
};

template <typename T>
struct ProductBody {
  explicit ProductBody(OpKernelConstruction* context) {
    OP_REQUIRES_OK(context, context->GetAttr("transpose_a", &of_a));
    OP_REQUIRES_OK(context, context->GetAttr("transpose_b", &of_b));
  }
  void Run(OpKernelContext* c) const {
    const int64 n = c->input(0).dim_size(0);
    const auto at = [n](const T* m, int64 i, int64 j, bool transposed) {
      return transposed ? m[j * n + i] : m[i * n + j];
    };
    for (int64 i = 0; i < n * n; ++i) {
      T sum = 0;
      for (int64 k = 0; k < n; ++k) sum += at(In<T>(c, 0), i / n, k, of_a) * at(In<T>(c, 1), k, i % n, of_b);
      Out<T>(c, 0)[i] = sum;
    }
  }
  bool of_a = false, of_b = false;
};

#define TEST_KERNEL(op, name, like)                                                \
  REGISTER_KERNEL_BUILDER(Name(op).Device(DEVICE_CPU).TypeConstraint<float>("T"),  \
                          ArraysOp<float, name##Body<float>, like>);               \
  REGISTER_KERNEL_BUILDER(Name(op).Device(DEVICE_CPU).TypeConstraint<double>("T"), \
                          ArraysOp<double, name##Body<double>, like>);

TEST_KERNEL("TestMul", Mul, 0)
TEST_KERNEL("TestScale", Scale, 0)
TEST_KERNEL("TestExp", Exp, 0)
TEST_KERNEL("TestSum", Sum, -2)
TEST_KERNEL("TestFillLike", FillLike, 1)
TEST_KERNEL("TestPowers", Powers, 0)
TEST_KERNEL("TestTwiceEach", TwiceEach, -1)
TEST_KERNEL("TestMulEach", MulEach, -1)
TEST_KERNEL("TestWeigh", Weigh, 0)
TEST_KERNEL("TestUndeclared", Same, 0)
TEST_KERNEL("TestFlat", Same, 0)
TEST_KERNEL("TestWrongFactor", Square, 0)
TEST_KERNEL("TestProduct", Product, 0)
TEST_KERNEL("TestAddScalar", AddScalar, 0)
TEST_KERNEL("TestFirst", First, -2)
TEST_KERNEL("TestMissingPath", XXY, 0)
TEST_KERNEL("TestNoSuchInput", Same, 0)
TEST_KERNEL("TestLeavesOut", Same, 0)
TEST_KERNEL("TestNoSuchName", Same, 0)
TEST_KERNEL("TestNoSuchOutput", Same, 0)
TEST_KERNEL("TestNoSuchOp", Same, 0)
TEST_KERNEL("TestNoSuchAttr", Same, 0)
TEST_KERNEL("TestCircle", Same, 0)
TEST_KERNEL("TestWrongType", Same, 0)
TEST_KERNEL("TestWrongShape", Same, 0)
TEST_KERNEL("TestEachOfNoList", Same, 0)
TEST_KERNEL("TestNoSuchEntry", Same, 0)
TEST_KERNEL("TestNoYaml", Same, 0)
TEST_KERNEL("TestNoOutputs", Same, 0)
TEST_KERNEL("TestNoMap", Same, 0)
TEST_KERNEL("TestUnknownKey", Same, 0)
TEST_KERNEL("TestDeclaredFeed", Same, 0)
TEST_KERNEL("TestNameTaken", Same, 0)
TEST_KERNEL("TestBlank", Same, 0)
TEST_KERNEL("TestEmptyOutputs", Same, 0)
TEST_KERNEL("TestEscape", Same, 0)
TEST_KERNEL("TestOtherFormat", Same, 0)
TEST_KERNEL("TestLargeFill", Same, 0)
TEST_KERNEL("TestBoth", Same, 0)
TEST_KERNEL("TestNoKernelHere", Same, 0)

// As shape functions of TensorFlow's ops that never saw a graph.
REGISTER_OP("TestKnownRank")
    .Attr("T: {float, double}")
    .Input("x: T")
    .Output("y: T")
    .SetShapeFn([](InferenceContext* c) {
      if (!c->RankKnown(c->input(0))) return errors::InvalidArgument("the rank of x must be known");
      c->set_output(0, c->input(0));
      return Status();
    })
    .Gradient("nodes:\n  dx: {op: TestKnownRank, in: grad.y}\noutputs: {x: dx}\n");
TEST_KERNEL("TestKnownRank", Same, 0)

TEST_INVALID("TestWrongSlices", R"yaml(
nodes:
  rows: {op: TestScale, in: grad.y, attrs: {factor: 1}}
outputs: {x: rows, n: null}
slices:
  x: {values: rows, indices: n}
)yaml");
TEST_KERNEL("TestWrongSlices", Same, 0)

}  // namespace
}  // namespace opsrun
