"""Shapes without memory: meta and fake tensors, unknown sizes, torch.compile.

SPDX-License-Identifier: Apache-2.0
"""

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv, statically_known_true

import opsrun.torch
from libraries import path_of


def check(op, args, kwargs=None):
    """All of torch.library.opcheck."""
    assert set(torch.library.opcheck(op, args, kwargs or {}).values()) == {"SUCCESS"}


def test_opcheck(ops, math, arrays, lists, zero_out):
    x, y = torch.randn(3, 4, requires_grad=True), torch.randn(4, requires_grad=True)
    check(zero_out, (torch.arange(6.),), {"preserve_index": 2})
    check(math.add, (x, y))
    check(math.mat_mul, (x, torch.randn(4, 2)), {"transpose_a": False})
    check(lists.add_n, ([x, x.detach()],))
    check(lists.split, (torch.tensor(1, dtype=torch.int32), x), {"num_split": 2})
    check(arrays.transpose, (x, torch.tensor([1, 0])))
    check(ops.sizes, (torch.randn(2, 5), torch.randn(2, 7)))
    check(ops.positive, (torch.randn(5),))
    check(ops.scratch, (torch.randn(5),))
    check(ops.mixed, ([torch.randn(2)], [torch.arange(3), torch.tensor(True)]))


def test_meta_tensors(ops, zero_out):
    result = zero_out(torch.ones(3, 4, dtype=torch.int32, device="meta"))
    assert result.is_meta and result.shape == (3, 4) and result.dtype == torch.int32
    sizes = ops.sizes(torch.ones(2, 5, device="meta"), torch.ones(2, 7, device="meta"))
    assert sizes.shape == ops.sizes(torch.ones(2, 5), torch.ones(2, 7)).shape
    with pytest.raises(NotImplementedError, match="known only after the op has run"):
        ops.positive(torch.ones(3, device="meta"))
    with pytest.raises(NotImplementedError, match="the rank of an output is known only after"):
        ops.positive_untold(torch.ones(3, device="meta"))


def test_inputs_on_different_devices(ops):
    with pytest.raises(RuntimeError, match="::Sizes: inputs are on different devices, cpu and meta; move them to one"):
        ops.sizes(torch.ones(2, 5), torch.ones(2, 7, device="meta"))


def test_tensors_of_a_card_in_a_trace(math, shapes, ops):
    card = torch.device("cuda", 0)
    with FakeTensorMode():
        x = torch.randn(3, 4, device=card, requires_grad=True)
        y = math.sum(x, torch.tensor([1]))  # an axis in CPU memory
        slope = y.grad_fn.apply(torch.ones_like(y))[2]  # what autograd's engine does, which asks the driver for streams
        found = [y, slope, shapes.shape(x), math.mul(x, torch.tensor(2.0))]
        assert [(each.device, each.shape) for each in found] == [(card, shape) for shape in ((3,), (3, 4), (2,), (3, 4))]
        with pytest.raises(RuntimeError, match="inputs are on different devices, cuda:0 and cuda:1; move them to one"):
            ops.sizes(torch.ones(2, 5, device=card), torch.ones(2, 7, device="cuda:1"))
        with pytest.raises(NotImplementedError, match="an attr is a tensor in the memory of cuda:0; use .cpu"):
            ops.tensor_attr(value=torch.ones(2, device=card))


def test_an_op_without_outputs(ops):
    assert ops.swallow(torch.ones(3, device="meta")) is None
    compiled = torch.compile(lambda x: (ops.swallow(x), x + 1)[1], fullgraph=True, backend="aot_eager")
    assert compiled(torch.ones(1)).item() == 2


def test_constants_of_a_graph_are_no_constants_of_its_backend(math):
    x = torch.arange(6.0).reshape(2, 3)
    compiled = torch.compile(lambda x: 2 * math.sum(x, torch.tensor(1, dtype=torch.int32)))  # by inductor
    assert compiled(x).tolist() == [6, 24]


def test_unknown_sizes_are_symbols(ops):
    graph = make_fx(ops.sizes, tracing_mode="symbolic")(torch.randn(2, 5), torch.randn(2, 7))
    shape = [node for node in graph.graph.nodes if node.op == "call_function"][-1].meta["val"].shape
    rows, columns, smaller, larger = shape
    names = [str(node.meta["val"].shape[i]) for node in list(graph.graph.nodes)[:2] for i in (0, 1)]
    assert str(rows) == f"2*{names[0]} + 1" and names[0] == names[2]
    assert all(name in str(columns) for name in (names[1], names[3]))
    assert "Min" in str(smaller) and "Max" in str(larger)
    assert graph(torch.randn(4, 6), torch.randn(4, 2)).shape == (9, 4, 2, 6)


def test_sizes_that_must_be_equal_are_checked(ops):
    shape_env = ShapeEnv()
    with FakeTensorMode(shape_env=shape_env):
        rows = [shape_env.create_unbacked_symint() for _ in range(2)]
        assert not statically_known_true(rows[0] == rows[1])
        ops.sizes(torch.empty(rows[0], 5), torch.empty(rows[1], 7))
        assert statically_known_true(rows[0] == rows[1])


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_functions(math, zero_out, backend):

    def layer(x, w, b):
        return zero_out(math.tanh(math.add(math.mat_mul(x, w), b)), preserve_index=1) * 2

    compiled = torch.compile(layer, fullgraph=True, dynamic=True, backend=backend)
    for rows in (3, 5):
        given = [torch.randn(rows, 4, requires_grad=True), torch.randn(4, 2, requires_grad=True),
                 torch.randn(2, requires_grad=True)]
        copies = [each.detach().clone().requires_grad_() for each in given]
        result, expected = compiled(*given), layer(*copies)
        torch.testing.assert_close(result, expected)
        result.sum().backward()
        expected.sum().backward()
        for one, other in zip(given, copies, strict=True):
            torch.testing.assert_close(one.grad, other.grad)


def test_the_example_of_the_guide(math):
    # [compile]
    @torch.compile(fullgraph=True, dynamic=True)
    def layer(x, w):
        return math.tanh(math.mat_mul(x, w))  # shapes come from the plugin's shape functions

    layer(torch.randn(3, 4), torch.randn(4, 2))
    # [/compile]
    x, w = torch.randn(5, 4), torch.randn(4, 2)
    torch.testing.assert_close(layer(x, w), torch.tanh(x @ w))


def test_a_stateful_op_is_called_as_often_as_it_is_written(ops):
    def twice(x):
        ops.count(by=10)
        return x + ops.count() + ops.count()

    for backend in ("aot_eager", "inductor"):
        before = ops.count(by=0)
        compiled = torch.compile(twice, fullgraph=True, backend=backend)
        assert compiled(torch.tensor(0)) == 2 * before + 23


def test_a_compiled_size_that_only_the_kernel_knows(ops):
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    compiled = torch.compile(lambda x: ops.positive(x).sum(), fullgraph=True)
    assert compiled(torch.tensor([1., -2, 3])) == 4
    assert compiled(torch.tensor([-1., -2, -3])) == 0


def test_values_that_are_shapes_are_known_in_a_trace(arrays):
    shapes = opsrun.torch.load_op_library(path_of("shape_ops"))

    def like(x):
        return shapes.reshape(x * 2, shapes.shape(x))

    graph = make_fx(like, tracing_mode="symbolic")(torch.randn(3, 4))
    result = [node for node in graph.graph.nodes if node.op == "call_function"][-1].meta["val"]
    inputs = next(node for node in graph.graph.nodes if node.op == "placeholder").meta["val"]
    assert [str(size) for size in result.shape] == [str(size) for size in inputs.shape]


def test_vmap_of_lists(lists, ops):
    x, y = torch.arange(6.).reshape(3, 2), torch.ones(2)
    assert torch.equal(torch.vmap(lambda row: lists.add_n([row, y, row]))(x), 2 * x + 1)
    assert torch.equal(torch.vmap(lambda a, b: lists.add_n([a, b]), in_dims=(1, 0))(x.t(), x), 2 * x)
    assert torch.equal(torch.vmap(torch.vmap(lambda one: lists.pack([one, one])))(x), torch.stack([x, x], -1))
    halves = torch.vmap(lambda row: lists.split(torch.tensor(0, dtype=torch.int32), row, num_split=2))(x)
    assert [half.tolist() for half in halves] == [[[0], [2], [4]], [[1], [3], [5]]]
    total, others, again = torch.vmap(lambda row: ops.mixed([row, y], [row]))(x)
    assert total.tolist() == [1, 3, 5] and torch.equal(others[0], x) and torch.equal(again[1], y.expand(3, 2))
    slopes = torch.vmap(torch.func.grad(lambda row: (lists.add_n([row, row]) * row).sum()))(x)
    assert torch.equal(slopes, 4 * x)
    assert torch.vmap(lambda row: lists.add_n([row]))(torch.ones(0, 2)).shape == (0, 2)  # the op takes a batch
    with pytest.raises(NotImplementedError, match="Pack cannot be batched without examples"):
        torch.vmap(lambda row: lists.pack([row]))(torch.ones(0, 2))


def test_vmap(zero_out):
    x = torch.arange(6.).reshape(2, 3)
    assert torch.vmap(lambda row: zero_out(row, preserve_index=1))(x).tolist() == [[0, 1, 0], [0, 4, 0]]


def test_export(math):
    class Layer(torch.nn.Module):
        def forward(self, x):
            return math.tanh(x)

    program = torch.export.export(Layer(), (torch.randn(3),))
    x = torch.randn(3)
    assert torch.equal(program.module()(x), math.tanh(x))


def test_an_op_that_refuses_unknown_shapes(ops):
    x = torch.ones(2, 3, requires_grad=True)
    check(ops.row_sums, (x,))
    torch.compile(lambda x: ops.row_sums(x).sum(), backend="aot_eager", fullgraph=True)(x).backward()
    assert x.grad.tolist() == [[1] * 3] * 2


def test_attrs_that_are_tensors(ops):
    value = torch.tensor([1., 2])

    def add(x):
        return x + ops.tensor_attr(value=value)

    x = torch.ones(1, requires_grad=True)
    compiled = torch.compile(add, backend="aot_eager")(x)  # the call is between two graphs
    compiled.sum().backward()
    assert compiled.tolist() == [5] and x.grad.tolist() == [1]
    with pytest.raises(torch._dynamo.exc.Unsupported, match="TensorAttr"):
        torch.compile(lambda x: x + ops.tensor_attr(value=value), backend="aot_eager", fullgraph=True)(x)
    with FakeTensorMode(allow_non_fake_inputs=True), pytest.raises(RuntimeError, match="::TensorAttr cannot be traced with an attr"):
        ops.tensor_attr(value=torch.ones(2))
    default = torch.compile(lambda x: x + ops.tensor_attr(), backend="aot_eager", fullgraph=True)
    assert default(x.detach()).tolist() == [2.5]

    def add_offset(x):
        return 2 * ops.add_offset(x, offset=value)

    y = torch.compile(add_offset, backend="aot_eager")(x)
    y.sum().backward()
    assert y.tolist() == [4] and x.grad.tolist() == [3]
