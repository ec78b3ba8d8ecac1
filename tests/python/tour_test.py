"""The examples of docs/python.md, and examples/digits, which trains, stores, and reads with the program.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import opsrun
import opsrun.test
from opsrun._program import prefix

DIGITS = pathlib.Path(__file__).parents[2] / "examples" / "digits" / "digits.py"
PLUGIN = os.path.join(prefix(), "lib", "opsrun", "zero_out.so")


def test_numpy():
    # [numpy]
    import opsrun.numpy as onp

    onp.sum(np.ones((2, 3)), axis=0)  # array([2., 2., 2.])
    onp.concat([np.zeros(2), np.ones(1)])  # array([0., 0., 1.])
    # [/numpy]


def test_calls():
    zero_out_so = PLUGIN
    # [calls]
    lib = opsrun.load_op_library(zero_out_so)
    lib.zero_out([5, 4, 3])  # array([5, 0, 0], dtype=int32)
    lib.zero_out(np.float32([[1, 2], [3, 4]]), preserve_index=3)

    math = opsrun.ops.math_ops  # of the installed plugins
    math.add(np.float64([1, 2]), 0.5)  # array([1.5, 2.5])
    y, idx = opsrun.ops.array_ops.unique([7, 7, 8])
    # [/calls]
    assert y.tolist() == [7, 8] and idx.tolist() == [0, 0, 1]


def test_a_plugin_of_ones_own(tmp_path, monkeypatch):
    source = pathlib.Path(__file__).parents[1] / "install" / "stranger" / "my_op.cc"
    flags = opsrun.sysconfig.get_compile_flags() + opsrun.sysconfig.get_link_flags()
    subprocess.run(["g++", "-std=c++17", "-O0", source, "-o", tmp_path / "my_op.so", *flags], check=True)
    monkeypatch.chdir(tmp_path)
    # [own]
    lib = opsrun.load_op_library("my_op.so")
    lib.countdown([3, 2, 1])  # array([2, 1, 0], dtype=int32)
    help(lib.countdown)
    # [/own]
    assert lib.countdown([3, 2, 1]).tolist() == [2, 1, 0]


def test_errors():
    # [errors]
    try:
        opsrun.ops.math_ops.add(np.zeros(2), np.zeros(3))
    except opsrun.errors.InvalidArgumentError as error:  # it is a ValueError as well
        assert error.diagnostics[0].code == "G217"
    # [/errors]
    else:
        raise AssertionError


def test_graphs(tmp_path):
    path = tmp_path / "model.yaml"
    # [functions]
    math = opsrun.ops.math_ops

    @opsrun.function
    def predict(w, x):
        return math.sigmoid(x @ w)

    w, x = np.ones((3, 1), np.float32), np.float32([[1, 2, -3]])
    predict(w, x)  # traced, and run as a graph
    predict.graph.save(path)  # opsrun model.yaml runs it, too

    graph = opsrun.Graph.load(path)
    graph.run(w=w, x=x)["sigmoid"]  # array([[0.5]], dtype=float32)
    # [/functions]
    np.testing.assert_array_equal(graph.run(w=w, x=x)["sigmoid"], predict(w, x))


def test_gradients():
    x, y = np.random.default_rng(1).normal(size=(8, 3)), np.ones((8, 1))
    # [gradients]
    def loss(w, x, y):
        error = x @ w - y
        return (error * error).mean()

    step = opsrun.value_and_grad(loss)
    w = np.zeros((3, 1))
    for _ in range(100):
        value, gradient = step(w, x, y)
        w -= 0.1 * gradient
    # [/gradients]
    assert value < 1

    v = np.ones((3, 1))
    # [forward]
    value, slope = opsrun.jvp(loss, (w, x, y), (v, 0 * x, 0 * y))  # along v
    gradient, curve = opsrun.jvp(lambda w: opsrun.grad(loss)(w, x, y), (w,), (v,))  # the Hessian times v
    # [/forward]
    np.testing.assert_allclose(slope, (gradient * v).sum())
    np.testing.assert_allclose(curve, x.T @ x @ v / 4)

    # [register]
    @opsrun.RegisterGradient("MyMultiply")
    def _my_multiply_grad(op, grad):
        return [grad * op.inputs[1], grad * op.inputs[0]]
    # [/register]

    # [check]
    declared, measured = opsrun.test.compute_gradient(loss, [w, x, y])
    assert opsrun.test.max_error(declared, measured) < 1e-4
    # [/check]


def test_gradients_in_a_traced_function():
    # [newton]
    @opsrun.function
    def closer(x):  # Newton's step toward the root of x**3 = 2
        y = x * x * x - 2.0
        return x - y / opsrun.gradients(y, x)[0]

    x = 1.0
    for _ in range(6):
        x = closer(x)
    # [/newton]
    np.testing.assert_allclose(x, 2 ** (1 / 3), rtol=1e-6)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("digits")
    done = subprocess.run([sys.executable, DIGITS, "--out", folder, "--picture", folder / "digits.svg"], text=True,
                          capture_output=True, check=True)
    return folder, done.stdout


def test_the_model_reads_digits_that_it_has_not_seen(trained):
    folder, printed = trained
    share = re.search(r"([\d.]+)% of 360 images", printed)
    assert share is not None and float(share[1]) >= 95
    assert (folder / "digits.svg").read_text().count("<text") == 36


def test_the_program_reads_the_same_digits(trained):
    folder, _ = trained
    text = (folder / "digits.yaml").read_text()
    assert "  probability: max\n" in text
    (folder / "saved.yaml").write_text(text.replace("  probability: max\n", "  probability: {from: max, npy: probability.npy}\n"))
    subprocess.run([os.path.join(prefix(), "bin", "opsrun"), "saved.yaml", "--feed", "image=unseen.npy", "--quiet"], cwd=folder,
                   check=True, capture_output=True)
    found = opsrun.Graph.load(folder / "digits.yaml").run(image=np.load(folder / "unseen.npy"))
    np.testing.assert_array_equal(np.load(folder / "probability.npy"), found["probability"])


def test_the_script_says_what_is_missing(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import importlib.util as u\nfind = u.find_spec\n"
                                               "u.find_spec = lambda name, *a: None if name == 'sklearn' else find(name, *a)\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, DIGITS, "--out", tmp_path], env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 1 and "pip install --no-deps scikit-learn" in done.stderr
