"""Graphs from Python.

SPDX-License-Identifier: Apache-2.0
"""

import os

import ml_dtypes  # noqa: F401
import numpy as np
import pytest

import opsrun

TEXT = """opsrun: 1
feeds:
  x: {dtype: float32, shape: [-1]}
  axes: {value: [0], dtype: int32}
nodes:
  y: {op: Exp, in: x}
  total: {op: Sum, in: [y, axes]}
outputs: {total: total, powers: y}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "graph.yaml"
    path.write_text(TEXT)
    return path


def test_a_graph_runs(file):
    graph = opsrun.Graph.load(file)
    assert graph.feeds == (("x", "float32", (None,)),)
    assert [spec.name for spec in graph.outputs] == ["total", "powers"]
    results = graph.run(x=[0, 1])
    np.testing.assert_allclose(results["powers"], [1, np.e], rtol=1e-6)
    np.testing.assert_allclose(graph.run({"x": np.zeros(5, np.float32)})["total"], 5)
    assert repr(graph) == "<opsrun.Graph (x) -> (total, powers)>"


@pytest.mark.parametrize("error, message, call", [
    (TypeError, r"run\(\) is missing feed 'x' \(float32\)", lambda graph: graph.run()),
    (TypeError, "got 'z', which is not a feed; feeds: x", lambda graph: graph.run(x=[1], z=1)),
    (TypeError, "feed 'x' is float64, but the graph declares float32", lambda graph: graph.run(x=np.zeros(2))),
    (opsrun.errors.InvalidArgumentError, "shape", lambda graph: graph.run(x=np.zeros((2, 2), np.float32))),
    (TypeError, "by name, such as x=array", lambda graph: graph.run(5)),
    (TypeError, "but the graph declares float32", lambda graph: graph.plan(x=np.zeros(2))),
    (TypeError, r"plan\(\) got 'z'", lambda graph: graph.plan(z=1)),
    (opsrun.errors.InvalidArgumentError, "shape", lambda graph: graph.plan(x=np.zeros((2, 2), np.float32))),
    (opsrun.errors.Error, "no tensor 'nothing'", lambda graph: graph.differentiate("nothing", "x")),
    *((TypeError, "expected the name of a tensor, or a pair of names, found", lambda graph, wrong=wrong: graph.differentiate(wrong, "x"))
      for wrong in (5, [5], [("a", "b", "c")], [["a", "b"]])),
])
def test_what_does_not_fit(file, error, message, call):
    graph = opsrun.Graph.load(file)
    with pytest.raises(error, match=message):
        call(graph)


def test_weights_are_stored_beside_the_graph(tmp_path):
    graph = opsrun.Graph.from_yaml("opsrun: 1\nfeeds:\n  w: {dtype: float32, shape: [2, -1]}\n  file: {dtype: bfloat16, shape: [1]}\n"
                                   "  x: {dtype: float32, shape: [-1, 2]}\nnodes:\n  y: {op: MatMul, in: [x, w]}\noutputs: [y, file]\n")
    w = np.float32([[1, 2, 3], [4, 5, 6]])
    graph.save(tmp_path / "model.yaml", weights={"w": w, "file": np.asarray([1.5], "bfloat16")})
    assert sorted(os.listdir(tmp_path)) == ["model.npz", "model.yaml"]
    loaded = opsrun.Graph.load(tmp_path / "model.yaml")
    assert [spec.name for spec in loaded.feeds] == ["x"]
    results = loaded.run(x=[[1, 1]])
    np.testing.assert_array_equal(results["y"], [[5, 7, 9]])
    assert results["file"] == 1.5
    for error, message, name, weights in (
            (TypeError, r"save\(\) got 'v', which is not a feed; feeds: w, file, x", "other.yaml", {"v": w}),
            (TypeError, "feed 'w' is float64, but the graph declares float32", "other.yaml", {"w": w.astype(float)}),
            (ValueError, r"feed 'w' has shape \[3, 2\], but the graph declares \[2, None\]", "other.yaml", {"w": w.T}),
            (ValueError, "other.npz' does not end in .yaml", "other.npz", {"w": w}),
            (ValueError, "a picture has no weights", "other.svg", {"w": w}),
            (TypeError, "weights must be given by name, such as {'w': array}, not as list", "other.yaml", [w]),
            (FileNotFoundError, "nowhere/model.yaml'", "nowhere/model.yaml", {})):
        with pytest.raises(error, match=message):
            graph.save(tmp_path / name, weights=weights)
    assert sorted(os.listdir(tmp_path)) == ["model.npz", "model.yaml"]


def test_a_plan(file):
    graph = opsrun.Graph.load(file)
    plan = graph.plan()
    assert [(step.node, step.op, step.plugin, step.device) for step in plan.steps] == [
        ("y", "Exp", "math_ops", "cpu"), ("total", "Sum", "math_ops", "cpu")]
    assert plan.steps[0].outputs == (("y", "float32", (None,)),)
    assert plan.memory < graph.plan(x=np.zeros(1000, np.float32)).memory
    assert "total" in str(plan) and repr(plan).startswith("<opsrun.Plan of 2 steps, ")


def test_a_picture(file, tmp_path, monkeypatch):
    graph = opsrun.Graph.load(file)
    assert graph.to_dot().startswith("digraph")
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\nread line; echo \"<svg>$line</svg>\"; cat > /dev/null\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert graph._repr_svg_().startswith("<svg>digraph")
    program.write_text("#!/bin/sh\ncat > /dev/null; echo no fonts >&2; exit 1\n")
    with pytest.raises(RuntimeError, match="could not draw the graph: no fonts"):
        graph.svg()
    program.write_text("#!/bin/sh\nexec sleep 20\n")
    with pytest.raises(RuntimeError, match="did not draw the graph in 0.1 seconds"):
        graph.svg(timeout=0.1)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="install Graphviz"):
        graph.svg()
    assert graph._repr_svg_() is None


def test_warnings_are_diagnostics(file):
    assert opsrun.Graph.load(file).check() == opsrun.Graph.check(file) == opsrun.Graph.from_yaml(TEXT).check() == ()
    opsrun.load_op_library(os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "graph_ops", "test_ops.so"))
    file.write_text("opsrun: 1\nfeeds: {x: {value: [1], dtype: int32}}\nnodes:\n  old: {op: TestOld, in: x}\noutputs: [old]\n")
    with pytest.warns(opsrun.errors.OpsrunWarning, match="is deprecated") as caught:
        graph = opsrun.Graph.load(file)
    assert caught[0].message.diagnostic.code == "G220"
    for found in (graph.check(), opsrun.Graph.check(file)):
        assert [(each.code, each.severity, each.line, each.file) for each in found] == [("G220", "warning", 4, str(file))]
    assert [each.severity for each in graph.check(strict=True)] == ["error"]


def test_mistakes_are_exceptions_with_places(file):
    file.write_text(TEXT.replace("op: Exp", "op: Expp").replace("in: [y, axes]", "in: [y, axis]"))
    found = opsrun.Graph.check(file)
    assert [(each.code, each.line, each.column) for each in found] == [("G201", 6, 11), ("G204", 7, 28)]
    assert found[0].suggestion == "Exp"
    with pytest.raises(opsrun.errors.Error, match="did you mean 'Exp'"):
        opsrun.Graph.load(file)
    assert opsrun.Graph.check(file.with_name("nowhere.yaml"))


def test_gradients(file, tmp_path):
    gradient = opsrun.Graph.load(file).differentiate("total", "x")
    np.testing.assert_allclose(gradient.run(x=[0, 1])["grad_x"], [1, np.e], rtol=1e-6)
    second = gradient.differentiate("grad_x", ["x"])
    assert len(second.outputs) == 4
    gradient.save(tmp_path / "gradient.yaml")
    assert opsrun.Graph.load(tmp_path / "gradient.yaml").run(x=[0])["grad_x"] == 1


def test_warnings_are_warnings():
    text = TEXT.replace("  y: {op", "  unused: {op: Exp, in: x}\n  y: {op")
    graph = opsrun.Graph.from_yaml(text)
    assert graph.run(x=[0])["total"] == 1
    with pytest.warns(opsrun.errors.OpsrunWarning, match="gradient is zero"):
        opsrun.Graph.from_yaml(TEXT).differentiate("x", "y")
