// tests/graphs/ops/test_invalid_gradients.cc: ops whose gradients no host can use.
// SPDX-License-Identifier: Apache-2.0
#include "test_gradients.h"

namespace opsrun {
namespace {

#define TEST_INVALID(name, ...)   \
  TEST_KERNEL(name, Same, 0)      \
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

// An attr whose value has no entry.
TEST_INVALID("TestNoSuchEntry", R"yaml(
outputs: {x: {attr: T, int8: grad.y, int16: x}, n: null}
)yaml");

TEST_INVALID("TestWrongSlices", R"yaml(
nodes:
  rows: {op: TestScale, in: grad.y, attrs: {factor: 1}}
outputs: {x: rows, n: null}
slices:
  x: {values: rows, indices: n}
)yaml");

TEST_INVALID("TestReadsNothing", R"yaml(
feeds: {k: {value: [1], dtype: int64}}
nodes:
  table: {op: HashTable, attrs: {key_dtype: int64, value_dtype: int64}}
  fill: {op: LookupTableInsert, in: [table, k, k]}
outputs: {x: fill, n: null}
)yaml");

}  // namespace
}  // namespace opsrun
