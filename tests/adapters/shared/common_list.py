"""The list of tests that opsrun's own package and all frameworks have in common: one plugin file, built once, gives the same
values, errors and gradients in each.

A framework's common_test.py has a fixture `host` for test_common, an object with

    NAME                                  as in Case.refused and Case.hints
    run(op, inputs, attrs, outputs)       what the op gives, lists flattened; outputs: arrays of the types that it gives
    compile(op, inputs, attrs, outputs)   a function of inputs of the same ranks: one compiled function, or one session
    gradient(op, inputs, attrs, order)    see Case.slopes and Case.curves
    named(case)                           patterns of what the text of an error names

SPDX-License-Identifier: Apache-2.0
"""

import dataclasses
import hashlib
import os
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

F, D, I = np.float32, np.float64, np.int32  # noqa: E741
NO_STRINGS = "op adapter.ops.Shout is not available in {}"
IN_PYTORCH, IN_JAX = "PyTorch, which has no tensors of type string", "JAX, which has no arrays of type string"
NO_GRADIENTS = {"onnxruntime": ("it only runs models", "No module named 'onnxruntime.training'")}
NO_SHAPE = "the shape of output 'positive' .*out_shapes"


@dataclasses.dataclass(frozen=True)
class Case:
    """A call of an op of adapter_ops.

    Attributes:
        outputs: What it gives, lists flattened. If it fails: arrays of the types that it would give.
        error: A pattern of the text with which it fails.
        blames: What that text names: "input x", or "attr code".
        slopes: For each input of real numbers, the gradient of the sum of 1, 2, 3... times the elements of the first output.
        curves: The gradients of the sum of the slopes.
        sizes: Other inputs, and what they give, by the same compiled function.
        threads: How many threads call it at once.
        hints: By framework, attrs that it needs because it knows less.
        refused: By framework, why it cannot do this, and a pattern of the error that says so.
    """

    op: str
    inputs: list = dataclasses.field(default_factory=list)
    attrs: dict = dataclasses.field(default_factory=dict)
    outputs: list = dataclasses.field(default_factory=list)
    error: str = ""
    blames: str = ""
    slopes: list = dataclasses.field(default_factory=list)
    curves: list = dataclasses.field(default_factory=list)
    sizes: list = dataclasses.field(default_factory=list)
    threads: int = 0
    hints: dict = dataclasses.field(default_factory=dict)
    refused: dict = dataclasses.field(default_factory=dict)


def _reversed(dtype):
    x = np.array([[1, 0, 1], [0, 0, 1]]).astype(dtype) if dtype == "bool" else np.arange(1, 7).reshape(2, 3).astype(dtype)
    why = {"onnxruntime": ("it has no complex numbers", dtype)} if dtype.startswith("complex") else {}
    return Case("Reversed", [x], outputs=[x.ravel()[::-1].reshape(2, 3)], refused=why)


DTYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
          "complex64", "complex128")
ALL = np.array([7, .5, 1, 3, 9, 2, 2, -1, 2, 1, 2, 0, 1, 1, 2, 1, 2, 1, 1, 0, -1, 1, -1, 1, 2, 3])  # every attr's default


def _all_attrs(attrs, changed):
    """AllAttrs has no shape function, which JAX must have."""
    outputs = list(ALL)
    for at, values in sorted(changed.items(), reverse=True):
        outputs[at] = values
    outputs = np.hstack(outputs)
    return Case("AllAttrs", attrs=attrs, outputs=[outputs], hints={"jax": {"out_shapes": outputs.shape}})


def _ones(*shape):
    return np.ones(shape, F)


def _zeros(*shape):
    return np.zeros(shape, F)


CASES = {
    **{f"values_{dtype}": _reversed(dtype) for dtype in DTYPES},
    "values_scalar": Case("Cube", [F(2)], outputs=[F(8)]),
    "values_empty": Case("Cube", [_zeros(0, 3)], outputs=[_zeros(0, 3)]),
    "values_nine_dimensions": Case("Cube", [2 * _ones(*[1] * 8, 2)], outputs=[8 * _ones(*[1] * 8, 2)]),
    "values_two_outputs": Case("Scratch", [F([1, -2])], outputs=[F([2, -4])] * 2),
    "values_of_a_default_attr": Case("AddOffset", [F([[1, 2]])], outputs=[F([[6, 9]])]),

    "strings": Case("Shout", [np.array([["a", ""], ["a longer text than fits inside", "ä"]], object)], {"mark": "?!"},
                    [np.array([["a?!", "?!"], ["a longer text than fits inside?!", "ä?!"]], object)],
                    refused={"pytorch": ("it has no strings", NO_STRINGS.format(IN_PYTORCH)),
                             "jax": ("it has no strings", NO_STRINGS.format(IN_JAX))}),

    "lists": Case("Mixed", [[F([1]), F([2])], [np.int8([3]), np.float16([[4]])]],
                  outputs=[F(3), np.int8([3]), np.float16([[4]]), F([1]), F([2])], hints={"onnxruntime": {"N": 2}}),
    "lists_too_short": Case("Mixed", [[], [F([1])]], outputs=[F(0)] * 2, error="at least 1|minimum length 1|size 1 not in range",
                            hints={"onnxruntime": {"N": 0}}),

    "attrs_defaults": _all_attrs({}, {}),
    "attrs_numbers": _all_attrs({"i": 2**40, "f": -0.25, "b": False}, {0: 2**40, 1: -.25, 2: 0}),
    "attrs_text": _all_attrs({"s": "'%\n \\é"}, {3: 7}),
    "attrs_type": _all_attrs({"t": np.dtype("int8")}, {4: 6}),
    "attrs_shape": _all_attrs({"shape": [None, 7, 0]}, {5: [3, -1, 7], 6: [0], 7: []}),
    "attrs_lists": _all_attrs({"fs": [.5, -.25], "bs": [True, False], "ss": ["", "a,b"]},
                              {11: [2, .5, -.25], 12: [2], 13: [1, 0], 14: [2], 15: [0], 16: [3], 17: [1], 18: 1}),
    "attrs_tensor": Case("TensorAttr", attrs={"value": F([[1, 2.5], [3, -.5]])}, outputs=[F(8)]),

    "errors_of_kernels": Case("Fails", [_ones(1)], {"code": 9}, [F([1])], error="told to fail", blames="input x"),
    "errors_in_threads": Case("Threads", [np.zeros(1000, I)], {"fail_at": 77}, [I([1])], error="element 77 is the wrong one"),
    "errors_of_constructors": Case("Fails", [_ones(1)], {"code": -1}, [F([1])], error="the code is negative"),
    "errors_of_attrs": Case("AllAttrs", attrs={"shape": [-7]}, outputs=[D([0])], error="-7", blames="attr shape",
                            hints={"jax": {"out_shapes": (1,)}}),
    "errors_of_types": Case("Cube", [np.ones(1, I)], outputs=[np.ones(1, I)], error="int32|double, float"),
    "errors_of_shapes": Case("Sizes", [_ones(2, 4), _ones(3, 4)], outputs=[_ones(1)], error="2 and 3|equally many rows"),
    "errors_of_gradients": Case("Squares", [F([3])], slopes=[F([6])], error="declares no gradient|gradient registry has no entry",
                                refused=NO_GRADIENTS),

    "gradients": Case("Cube", [D([1, 2, -3])], slopes=[D([3, 24, 81])], curves=[D([6, 24, -54])], refused=NO_GRADIENTS),
    "gradients_own_op": Case("Reversed", [F([5, 6, 7])], slopes=[F([3, 2, 1])], refused=NO_GRADIENTS),
    "gradients_shapes": Case("RowSums", [_ones(2, 3)], slopes=[F([[1] * 3, [2] * 3])], refused=NO_GRADIENTS),
    "gradients_attrs": Case("AddOffset", [F([1, 2])], {"offset": F([10, 20]), "scale": 3.0}, slopes=[F([3, 6])],
                            refused=NO_GRADIENTS),
    "gradients_default_attrs": Case("AddOffset", [F([1, 2])], {"scale": 3.0}, slopes=[F([3, 6])], refused=NO_GRADIENTS),
    "gradients_some_inputs": Case("LookUp", [_ones(3, 2), I([2, 0, 2])], slopes=[F([[3, 4], [0, 0], [6, 8]])],
                                  refused=NO_GRADIENTS),

    "threads": Case("Cube", [np.full(20000, 2, F)], outputs=[np.full(20000, 8, F)], threads=8),
    "threads_with_loops": Case("Threads", [np.arange(20000, dtype=I)], outputs=[np.arange(1, 20001, dtype=I)], threads=8),

    "sizes": Case("Sizes", [_ones(2, 4), _ones(2, 4)], outputs=[_zeros(5, 4, 4, 4)],
                  sizes=[([_ones(1, 6), _ones(1, 2)], [_zeros(3, 4, 2, 6)]), ([_ones(3, 2), _ones(3, 0)], [_zeros(7, 1, 0, 3)])]),
    "sizes_of_results": Case("Positive", [F([1, -2, 3])], outputs=[F([1, 3])],
                             sizes=[([F([-1, 2])], [F([2])]), ([F([1, 2, 3, 4])], [F([1, 2, 3, 4])]), ([F([])], [F([])])],
                             refused={"jax": ("it must know sizes before an op runs", NO_SHAPE)}),
    "sizes_without_shape_functions": Case("PositiveUntold", [F([1, -2, 3])], outputs=[F([1, 3])],
                                          refused={"jax": ("it must know shapes before an op runs", NO_SHAPE)}),
}


def real_inputs(inputs):
    """The positions of the inputs that have gradients."""
    return [i for i, each in enumerate(inputs) if each.dtype.kind == "f"]


def weights(shape):
    """1, 2, 3..."""
    return np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape)


def _check(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(map(np.asarray, found), expected):
        assert (a.dtype.kind, a.shape) == (b.dtype.kind, b.shape) and a.dtype.itemsize == b.dtype.itemsize
        assert [each.decode() if isinstance(each, bytes) else each for each in a.ravel().tolist()] == b.ravel().tolist()


def _run(host, case):
    attrs = {**case.attrs, **case.hints.get(host.NAME, {})}
    given = case.op, case.inputs, attrs
    for order, expected in ((1, case.slopes), (2, case.curves)):
        if expected:
            _check(host.gradient(*given, order), expected)
    if case.threads:
        with ThreadPoolExecutor(case.threads) as pool:
            for found in pool.map(lambda _: host.run(*given, case.outputs), range(8 * case.threads)):
                _check(found, case.outputs)
    elif case.sizes:
        function = host.compile(*given, case.outputs)
        for inputs, outputs in [(case.inputs, case.outputs), *case.sizes, (case.inputs, case.outputs)]:
            _check(function(inputs), outputs)
    elif case.outputs:
        _check(host.run(*given, case.outputs), case.outputs)


@pytest.mark.parametrize("name", CASES)
def test_common(host, name):
    case = CASES[name]
    _, refusal = case.refused.get(host.NAME, ("", ""))
    if not refusal and not case.error:
        return _run(host, case)
    with pytest.raises(Exception) as caught:
        _run(host, case)
    for pattern in [refusal] if refusal else [case.error, *host.named(case)]:
        assert re.search(pattern, str(caught.value), re.S), pattern


def test_the_file_is_the_one_that_was_built(host):
    """It is loaded once, and its content is what the build has noted."""
    _run(host, CASES["values_scalar"])
    with open("/proc/self/maps", encoding="utf-8") as maps:
        (path,) = {line.split()[-1] for line in maps if "adapter_ops" in line}
    with open(path, "rb") as file, open(os.environ["OPSRUN_ADAPTER_OPS"] + ".sha256", encoding="utf-8") as noted:
        assert hashlib.file_digest(file, "sha256").hexdigest() == noted.read().split()[0]
