"""Plugins in processes of their own: results are the same, whatever ends is an error, and nothing is left of it.

The engine of a process is configured once, so each test has its own.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
import sys

import pytest

BEGIN = """
import os, pathlib, signal, sys, threading, time
import numpy as np, opsrun
opsrun.configure(threads=2, {})
from opsrun.ops import array_ops, math_ops, shape_ops, string_to_number

def children():
    found = []
    for task in pathlib.Path("/proc/self/task").iterdir():
        try:
            found += [int(word) for word in (task / "children").read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            pass  # the thread has ended
    return found
"""


def run(options, code, timeout=300):
    done = subprocess.run([sys.executable, "-c", BEGIN.format(options) + code], text=True, capture_output=True,
                          check=False, timeout=timeout)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_results_are_those_of_this_process():
    run('isolate="all"', """
x = np.arange(12, dtype=np.float32).reshape(3, 4)
for k in range(3):
    assert (math_ops.add(x[k:], x[k:]) == 2 * x[k:]).all()
assert (array_ops.where(x > 5) == np.argwhere(x > 5)).all()  # the kernel sizes its output
assert list(string_to_number.number_to_string(np.int32([7, -12]))) == [b"7", b"-12"]  # their sizes are not planned
assert list(string_to_number.string_to_number(np.array(["1.5", "2"], object))) == [1.5, 2]
f = opsrun.function(lambda v: math_ops.sum(math_ops.square(v), np.int32([1])))
assert (f(x) == (x * x).sum(1)).all() and (f(x[:2]) == (x[:2] ** 2).sum(1)).all()
big = np.ones((1000, 1000), np.float64)
assert math_ops.add(big, big).sum() == 2e6
assert len(children()) == 3, children()  # one for each plugin
""")


def test_only_named_plugins_are_isolated():
    run('isolate=["array_ops"]', """
math_ops.add(1, 2)
assert children() == []
array_ops.where([True])
assert len(children()) == 1
""")


def test_errors_are_those_of_this_process():
    run('isolate="all"', """
try:
    shape_ops.reshape(np.zeros(6), np.int32([4]))
    raise SystemExit("no error")
except opsrun.errors.Error as error:
    assert "6" in str(error) and "4" in str(error), error
assert shape_ops.reshape(np.zeros(6), np.int32([2, 3])).shape == (2, 3)
""")


def test_a_node_that_fails_is_written(tmp_path):
    run(f'isolate="all", node_timeout=30, repro_dir={str(tmp_path / "kept")!r}', """
f = opsrun.function(lambda v: string_to_number.string_to_number(v))
try:
    f(np.array(["1", "two"], object))
    raise SystemExit("no error")
except opsrun.errors.Error as error:
    assert "opsrun run " in str(error) and "--node-timeout 30000ms" in str(error), error
""")
    assert "isolate: true" in (tmp_path / "kept/graph.yaml").read_text(encoding="utf-8")


def test_objects_that_cross_parts_are_given_back():
    path = os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "python", "name_lists.so")
    run('isolate="all"', f"""
lists = opsrun.load_op_library({path!r})
f = opsrun.function(lambda s: lists.name_list_names(lists.name_list_push(lists.name_list_of([s]), array_ops.identity(s))))
def memory():
    return sum(int(line.split()[1]) for child in children() for line in
               pathlib.Path(f"/proc/{{child}}/status").read_text().splitlines() if line.startswith("RssAnon"))
name = np.array("x" * 10_000, object)
def call(times):
    for _ in range(times):
        names = f(name)
    assert names.tolist() == [b"x" * 10_000] * 2
def call_on_threads(times):
    threads = [threading.Thread(target=call, args=[times]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
call_on_threads(500)
begin = memory()
call_on_threads(5000)
assert memory() < begin + 8_000, (begin, memory())  # 200 MB if they stayed
""")


@pytest.mark.parametrize("runs", [400])
def test_processes_that_die_leave_nothing(runs):
    print(run('isolate="all"', f"""
x = np.ones(4096, np.float32)
f = opsrun.function(lambda v: (math_ops.add(v, v), math_ops.square(v)))
def held():
    status = dict(line.split(":") for line in pathlib.Path("/proc/self/status").read_text().splitlines())
    memory = sum(int(status[name].split()[0]) for name in ("RssAnon", "RssShmem"))
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")), memory
over = threading.Event()
def kill():
    seed = 1
    while not over.is_set():
        seed = seed * 1103515245 + 12345 & 0x7fffffff
        time.sleep(0.002 + seed % 97 / 2000)
        for child in children():
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
f(x)
begin = held()
killer = threading.Thread(target=kill)
killer.start()
failed = 0
for k in range({runs}):
    try:
        a, b = f(x)
        assert a[5] == 2 and b[7] == 1
    except opsrun.errors.Error as error:
        assert "R409" in str(error) or "ended" in str(error), error
        failed += 1
    if k % 20 == 0:
        time.sleep(0.01)
over.set()
killer.join()
for _ in range(2):
    try:
        f(x)
    except opsrun.errors.Error:
        pass
assert f(x)[0][0] == 2
files, threads, memory = held()
assert failed > 0 and len(children()) == 1, (failed, children())
assert files <= begin[0] + 1 and threads <= begin[1] + 1, (begin, files, threads)
assert memory < begin[2] + 40_000, (begin, memory)
print(failed, "of {runs} failed;", begin, held())
""", timeout=3000))
