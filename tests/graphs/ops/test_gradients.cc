// tests/graphs/ops/test_gradients.cc: ops with gradients for tests of whole graphs: correct, wrong and missing.
// SPDX-License-Identifier: Apache-2.0
#include "test_gradients.h"

OPSRUN_PLUGIN("test_gradients", "1.0.0");

namespace opsrun {
namespace {

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

// ---- Correct ones

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

// Two outputs; a graph may use only one.
REGISTER_OP("TestPowers")
    .T_ATTR.Input("x: T")
    .Output("square: T")
    .Output("cube: T")
    .SetShapeFn(EqualShapes)
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

// Lists: twice each element.
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

// Each element times the first factor: two lists of the same length, iterated together.
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

REGISTER_OP("TestNoKernelYet").T_ATTR.Input("x: T").Output("y: T").SetShapeFn(UnchangedShape);

// ---- Wrong ones: only numerical comparison detects it

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

// As in shape functions of TensorFlow that were never used in a graph.
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

}  // namespace
}  // namespace opsrun
