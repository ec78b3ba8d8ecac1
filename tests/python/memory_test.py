"""What calls keep: calls with arrays of many shapes need the memory of one, and counts that no list has need none.

A limit that calls of one shape need tells whether others need more; it holds for a process, so each test has its own.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import gc
import itertools
import os
import subprocess
import sys
import time
import weakref

import numpy as np
import pytest

import opsrun
from opsrun import _program
from opsrun._recent import Recent
from opsrun.ops import array_ops, list_ops, math_ops

MIB = 2**20
PROGRAM = os.path.join(_program.prefix(), "bin", "opsrun")
BEGIN = """
import numpy as np, opsrun
opsrun.configure(memory_limit={}, threads=2)
from opsrun.ops import array_ops, math_ops
x = np.ones(2**20, np.float32)  # 4 MiB
"""


@pytest.mark.parametrize("limit, code", [
    (10 * MIB, "for k in [*range(20), *range(20, 0, -1)]: assert math_ops.add(x[k:], np.float32(1))[-1] == 2"),
    # Its kernel sizes its output, of 8 MiB.
    (40 * MIB, "for k in range(20): assert len(array_ops.where(x[k:])) == 2**20 - k"),
    *((20 * MIB, f"""
f = {decorate}(lambda v: math_ops.sum(math_ops.square(math_ops.add(v, v)), np.int32([0])))
for k in [*range(80), 0, 79, 40]: assert f(x[k:]) == 4 * (2**20 - k)
""") for decorate in ("opsrun.function", "opsrun.function(v=opsrun.TensorSpec('v', 'float32', (None,)))"))])
def test_calls_with_many_shapes_need_the_memory_of_one(limit, code):
    done = subprocess.run([sys.executable, "-c", BEGIN.format(limit) + code], text=True, capture_output=True, check=False,
                          timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


def test_results_that_are_held_stay_as_they_are():
    f = opsrun.function(lambda v: (math_ops.add(v, v), math_ops.square(v)))
    held = [(k, f(np.full(50_000 + k, k, np.float32))) for k in range(80)]
    for k, (twice, square) in held:
        assert twice.shape == square.shape == (50_000 + k,)
        assert (twice == 2 * k).all() and (square == k * k).all()


def test_a_function_keeps_the_graphs_that_were_used_last():
    f = opsrun.function(lambda v: math_ops.add(v, v))
    f(np.zeros(1, np.float32))
    first = weakref.ref(f.graph)
    for k in range(2, 65):
        f(np.zeros(k, np.float32))
        f(np.zeros(1, np.float32))
    assert first() is not None
    for k in range(65, 130):
        f(np.zeros(k, np.float32))
    gc.collect()
    assert first() is None
    assert f(np.ones(1, np.float32)) == 2


def test_threads_call_a_function_with_more_shapes_than_it_keeps():
    f = opsrun.function(lambda v: math_ops.add(v, v))
    wrong = []

    def call(thread):
        for k in range(100):
            v = np.full((k * 7 + thread) % 90 + 1, k, np.float32)
            if not np.array_equal(f(v), v + v):
                wrong.append(k)

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(call, range(4)))
    assert not wrong


def test_recent_values_are_bounded_in_number_and_size():
    kept = Recent(3, 10)
    for key, size in (("a", 4), ("b", 4)):
        kept.add(key, key.upper(), size)
    assert kept.get("a") == "A"
    kept.add("c", "C", 4)  # 12 with it: the one that was not used goes
    assert [kept.get(key) for key in "abc"] == ["A", None, "C"]
    for key in "defg":
        kept.add(key, key.upper(), 0)
    assert len(kept) == 3
    kept.add("large", "LARGE", 100)
    assert (len(kept), kept.get("large")) == (1, "LARGE")
    kept.add("large", "other", 6)
    assert kept.get("large") == "other"
    kept.add("h", "H", 4)
    assert len(kept) == 2


@pytest.mark.parametrize("count", [2**16 + 1, 5_000_000, 2**62])
def test_a_count_that_no_list_has_is_refused_at_once(count):
    calls = (lambda x: list_ops.split(np.int32(0), x, num_split=count),
             opsrun.function(lambda x: tuple(list_ops.split(np.int32(0), x, num_split=count))),
             opsrun.grad(lambda x: math_ops.sum(list_ops.split(np.int32(0), x, num_split=count)[0], np.int32([0, 1]))))
    for call in calls:
        begin = time.monotonic()
        with pytest.raises(opsrun.errors.InvalidArgumentError, match="no list holds more than 65536 tensors") as caught:
            call(np.zeros((1, 2), np.float32))
        assert [each.code for each in caught.value.diagnostics] == ["G214"]
        assert time.monotonic() - begin < 5


def test_a_count_of_numpy_is_a_count():
    f = opsrun.function(lambda x: tuple(list_ops.split(np.int32(0), x, num_split=np.int64(2))))
    assert [part.tolist() for part in f(np.array([1, 2], np.int32))] == [[1], [2]]


@pytest.mark.parametrize("endless", [itertools.repeat(1), range(2**62)])
def test_a_list_without_an_end_is_refused(endless):
    squeeze = lambda x: array_ops.squeeze(x, squeeze_dims=endless)
    for call in (squeeze, opsrun.function(squeeze)):
        with pytest.raises(ValueError, match="more than 1048576 elements"):
            call(np.zeros((1, 2), np.float32))


ONE_ROW = """
import os, resource, sys, opsrun
from opsrun.ops import array_ops
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
array_ops.gather([[1]], [0])
before = used()
graph = opsrun.Graph.load("{}")
derived = graph.differentiate("scaled", "s")
assert graph.run(i=[5], s=2)["scaled"].tolist() == [[2, 2]]
assert derived.run(i=[5], s=2)["grad_s"] == 2
assert used() < before + 2**25, used() - before
os.truncate(sys.argv[1], 2**20)
for each in graph, derived:
    try:
        each.run(i=[-1 + 2**22], s=2)
    except opsrun.errors.Error as error:
        print(error.diagnostics[0].message)
"""


@pytest.mark.parametrize("file", ["lookup.npz", "w.npy", "lookup.opsplan"])
def test_a_large_weight_stays_in_its_file(tmp_path, file):
    text = ("opsrun: 1\nfeeds:\n  w: {feed}\n  i: {{dtype: int64, shape: [-1]}}\n  s: {{dtype: float64, shape: []}}\n"
            "nodes:\n  row: {{op: Gather, in: [w, i]}}\n  scaled: {{op: Mul, in: [row, s]}}\noutputs: [scaled]\n")
    w = np.ones((2**22, 2))  # 64 MiB
    graph = tmp_path / "lookup.yaml"
    if file == "lookup.npz":
        opsrun.Graph.from_yaml(text.format(feed="{dtype: float64, shape: [-1, 2]}")).save(graph, weights={"w": w})
    else:
        np.save(tmp_path / "w.npy", w)
        graph.write_text(text.format(feed="{npy: w.npy}"))
    if file == "lookup.opsplan":
        subprocess.run([PROGRAM, "-q", "compile", graph], check=True)
        graph = graph.with_suffix(".opsplan")
        (tmp_path / "w.npy").unlink()
    done = subprocess.run([sys.executable, "-c", ONE_ROW.format(graph.name), file], cwd=tmp_path, text=True,
                          capture_output=True, check=False, timeout=300)
    assert done.stderr == ""
    assert done.stdout.count(f"{file}' was written to while it was used: it was 671") == 2, done.stdout
