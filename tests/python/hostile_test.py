"""What once went wrong, or easily could: arrays of other types, values that only look the same, odd names.

SPDX-License-Identifier: Apache-2.0
"""

import os
import threading

import numpy as np
import pytest

import opsrun
from opsrun.ops import array_ops, cast, math_ops

PLUGINS = os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "graph_ops")
X = np.float32([1, 2, 3])
VECTOR = opsrun.TensorSpec("v", "float32", (None,))


def library(name):
    return opsrun.load_op_library(os.path.join(PLUGINS, f"{name}.so"))


def test_a_feed_of_quantized_numbers_takes_the_integers_that_they_are():
    graph = opsrun.Graph.from_yaml("opsrun: 1\nfeeds: {x: {dtype: qint32, shape: [4]}}\n"
                                   "nodes: {a: {op: Identity, in: x}}\noutputs: [a]\n")
    np.testing.assert_array_equal(graph.run(x=np.int32([1, 2, 3, 4]))["a"], [1, 2, 3, 4])
    for wrong in (np.zeros(4, np.int8), np.array(["a"] * 4), np.zeros(4, np.float32)):
        with pytest.raises(TypeError):
            graph.run(x=wrong)
    with pytest.raises(TypeError, match="another data type"):
        graph._native.run([np.zeros(4, np.int8)])


def test_an_op_whose_names_are_odd_has_a_text():
    op = math_ops.tan
    module = op.__module__
    op.__module__ = []
    assert repr(op) == "<op [].tan>"
    op.__module__ = module


def test_an_array_that_gets_other_shapes_meanwhile():
    big = np.ones(300_000)
    done = threading.Event()

    def reshape():
        while not done.is_set():
            big.shape = (300, 1000)
            big.shape = (300_000,)

    thread = threading.Thread(target=reshape)
    thread.start()
    try:
        for _ in range(100):
            assert math_ops.sqrt(big).size == big.size
    finally:
        done.set()
        thread.join()


def test_zeros_have_signs():
    scale = library("test_gradients").test_scale
    for factor in (0.0, -0.0, 0.0):
        assert bool(np.signbit(scale(X, factor=factor)).all()) == bool(np.signbit(factor))


def test_a_type_may_change():
    class Kind:
        dtype = np.dtype("f8")

    assert cast.cast(X, DstT=Kind).dtype == np.float64
    Kind.dtype = np.dtype("i4")
    assert cast.cast(X, DstT=Kind).dtype == np.int32


def test_a_class_is_no_array_of_its_kind():
    convert = opsrun.function(lambda x, dtype: x.astype(dtype))
    assert [convert(X, dtype).dtype for dtype in (np.float64, np.int8, float, np.dtype("f8"))] == ["f8", "i1", "f4", "f8"]


def test_texts_keep_all_their_characters():
    assert array_ops.identity(["a\0", "b\n"]).tolist() == [b"a\0", b"b\n"]
    assert array_ops.identity(b"a\0").tolist() == b"a\0"


def test_specs_go_by_name():
    f = opsrun.function(y=VECTOR, x=VECTOR)(lambda x, y: x - y * 10.0)
    np.testing.assert_array_equal(f(X, X * 0 + 1), [-9, -8, -7])
    np.testing.assert_array_equal(opsrun.grad(opsrun.function(y=VECTOR, x=VECTOR)(lambda x, y: (x * y * y).sum()), 1)(X, X), 2 * X * X)


def test_arguments_beside_specs_count():
    f = opsrun.function(x=VECTOR)(lambda x, k=1, *, c=3.0: x * float(k) + c)
    np.testing.assert_array_equal(f(X, 5), X * 5 + 3)
    np.testing.assert_array_equal(f(X, c=7.0), X + 7)
    assert [spec.name for spec in f.graph.feeds] == ["x", "c"]


def test_an_argument_with_a_spec_is_one_tensor():
    scalar = opsrun.function(x=opsrun.TensorSpec("x", "float64", ()))(lambda x: x * 0.1)
    assert scalar(3) == scalar(3.0) == 3 * 0.1
    double = opsrun.function(x=opsrun.TensorSpec("x", "float64", (None,)))(lambda x: x * 2)
    np.testing.assert_array_equal(double([0.1, 2]), [0.2, 4])
    with pytest.raises(opsrun.errors.InvalidArgumentError, match=r"has shape \[2\], but the graph declares \[\]"):
        scalar([1.0, 2.0])
    with pytest.raises(TypeError, match="argument 'x' is neither numbers nor strings: it holds dict"):
        scalar({"a": np.float64(1), "b": np.float64(2)})
    with pytest.raises(TypeError, match=r"argument 'x' is float32 \(3,\), but its spec says float64 \(None,\)"):
        opsrun.function(lambda y: double(y))(X)


def test_structures_are_told_apart():
    f = opsrun.function(lambda p: p["a"]["b"] * 2.0 if "a" in p else p["a_b"] * 100.0)
    f({"a": {"b": X}})
    np.testing.assert_array_equal(f({"a_b": X}), X * 100)
    f = opsrun.function(lambda x, k: x * (1.0 if k == () else 2.0))
    np.testing.assert_array_equal(f(X, ()), X)
    np.testing.assert_array_equal(f(X, []), X * 2)
    gradient = opsrun.grad(lambda p: ((list(p.values()) if isinstance(p, dict) else p)[0] * 2.0).sum())
    assert [type(gradient(p)) for p in ([X], (X,), {0: X})] == [list, tuple, dict]


def test_products_are_of_the_arguments_as_they_were():
    x = np.float64([1, 2, 3])
    _, products = opsrun.vjp(lambda q: q * q, x)
    x[:] = 100
    np.testing.assert_array_equal(products(np.ones(3))[0], [2, 4, 6])


def test_names_of_any_characters():
    def f(α):
        return {"a b": α * 2.0, "é/": α + 1.0}

    assert set(opsrun.function(f)(X)) == {"a b", "é/"}


class Model:
    @opsrun.function
    def double(self, x):
        return True & (x > 0), x * 2.0, abs(x.astype(np.complex128) * 1j)


def test_a_method_can_be_traced():
    positive, doubled, size = Model().double(X)
    assert positive.all()
    np.testing.assert_array_equal(doubled, 2 * X)
    np.testing.assert_array_equal(size, np.float64(X))


endless = []
endless.append(endless)
masked = np.ma.array([1.0, 2.0], mask=[True, False])


@pytest.mark.parametrize("call, message", [
    (lambda: opsrun.load_op_library(b"/nowhere.so"), "nowhere.so"),
    (lambda: opsrun.load_op_library(3), "PathLike"),
    (lambda: opsrun.Graph.from_yaml(5), "must be a str, not int"),
    (lambda: opsrun.Graph.load(b"/nowhere.yaml"), "nowhere.yaml"),
    (lambda: opsrun.Graph.load("\udc80.yaml"), "UTF-8"),
    (lambda: opsrun.NotDifferentiable(3), "must be the name of an op"),
    (lambda: opsrun.grad(lambda x: x.sum(), argnums="x")(X), "argnums"),
    (lambda: opsrun.grad(lambda x: x.sum(), argnums=())(X), "argnums"),
    (lambda: cast.cast(X, DstT=None), "is not a data type of opsrun"),
    (lambda: cast.cast(X, DstT=type), "is not a data type of opsrun"),
    (lambda: math_ops.neg(np.float64), "it holds type"),
    (lambda: array_ops.identity([["a"], ["b", "c"]]), "not rectangular"),
    (lambda: opsrun.function(zz=VECTOR)(lambda x: x), "has no argument 'zz'; it has x"),
    (lambda: opsrun.function(x=3)(lambda x: x), "is not an opsrun.TensorSpec: 3"),
    (lambda: opsrun.function(xs=VECTOR)(lambda *xs: xs[0]), r"argument '\*xs' of <lambda> takes any number of tensors, but a spec describes one"),
    (lambda: opsrun.function(x=opsrun.TensorSpec("x", "float64", 3))(lambda x: x),
     "the shape in the spec of argument 'x' of <lambda> is not a tuple of sizes: 3"),
    (lambda: opsrun.function(lambda x, k: x)(X, {1}), "argument 'k' is a set"),
    (lambda: math_ops.neg(masked), "^input 'x' of neg.. is a masked array"),
    (lambda: math_ops.neg([masked]), "^a part of input 'x' of neg.. is a masked array"),
    (lambda: math_ops.neg([[X[:2], masked]]), "^a part of input 'x' of neg.. is a masked array"),
    (lambda: array_ops.identity(["a\ud800"]), "input 'input' of identity.. holds 'a.*ud800', which cannot be written as UTF-8"),
    (lambda: array_ops.random_uniform([1], dtype="float32", seed=2**63),
     "attr 'seed' of random_uniform.. does not fit int64: 9223372036854775808"),
    (lambda: math_ops.add(endless, 1), "more than 64 levels, or contains itself"),
    *((lambda factor=factor: library("test_gradients").test_scale(X, factor=factor), "attr 'factor' of test_scale.. must be a float")
      for factor in (True, np.True_, "1")),
])
def test_arguments_of_the_wrong_kind(call, message):
    with pytest.raises((TypeError, ValueError, OverflowError, opsrun.errors.Error), match=message):
        call()


def test_an_argument_may_be_called_self():
    double = opsrun.function(lambda self, k=2.0: self * k)
    assert double(self=np.float32(3)) == 6
    assert repr(double) == "<opsrun.Function <lambda>(self, k=2.0)>"
    assert opsrun.grad(lambda self: self * self)(self=3.0) == 6


def test_texts_may_stand_for_bytes_that_are_no_utf8():
    for function in (array_ops.print, opsrun.function(array_ops.print)):
        np.testing.assert_array_equal(function(X, [X], message="\udcff"), X)


@pytest.mark.parametrize("method", ["__array__", "__dlpack__"])
def test_objects_that_lie_about_what_they_are(method):
    liar = type("Liar", (), {method: lambda self, *args, **kwargs: 5})()
    with pytest.raises((TypeError, ValueError), match="input 'x' of add.. cannot be read"):
        math_ops.add(liar, 1)
