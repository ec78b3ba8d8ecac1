"""What happens to a run when something happens to its process: signals, forks, its end.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
import sys
import textwrap

import pytest

SLOW = """
import signal, threading, os, time
import numpy as np, opsrun
from opsrun.ops import math_ops
x = np.ones((1500, 1500))
graph = opsrun.Graph.from_yaml('opsrun: 1\\nfeeds: {x: {dtype: float64}}\\nnodes:\\n' + ''.join(
    f"  n{i}: {{op: MatMul, in: [{'x' if i == 0 else f'n{i - 1}'}, x]}}\\n" for i in range(400)) + 'outputs: [n399]\\n')
"""


def run(code, before=""):
    """(exit status, stdout, stderr) of a process that has a slow graph."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(before) + SLOW + textwrap.dedent(code)], text=True,
                          capture_output=True, timeout=60, check=False)
    sys.stderr.write(done.stderr)  # shown if the test fails
    return done.returncode, done.stdout, done.stderr


IMPORTED_BY_A_THREAD = """
    import threading
    def first():
        import opsrun
        opsrun.ops.math_ops.add(1, 2)
    thread = threading.Thread(target=first)
    thread.start()
    thread.join()
"""


@pytest.mark.parametrize("before", ["", IMPORTED_BY_A_THREAD])
def test_ctrl_c_stops_a_run_whoever_imported_the_package_first(before):
    assert run("""
        def interrupt():
            time.sleep(0.5)
            global sent
            sent = time.monotonic()
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        try:
            graph.run(x=x)
        except KeyboardInterrupt:
            print("stopped", time.monotonic() - sent < 2)
        print(math_ops.add(1, 2))
    """, before)[:2] == (0, "stopped True\n3\n")


def test_a_handler_of_ones_own_is_called():
    assert run("""
        def stop(number, frame):
            raise RuntimeError("mine")
        signal.signal(signal.SIGINT, stop)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            graph.run(x=x)
        except RuntimeError as error:
            print(error)
    """)[:2] == (0, "mine\n")


def test_a_run_in_flight_does_not_hold_up_the_end():
    assert run("""
        threading.Thread(target=lambda: graph.run(x=x), daemon=True).start()
        time.sleep(0.5)
        print("end", flush=True)
    """)[:2] == (0, "end\n")


def test_a_graph_that_a_thread_holds_is_no_news_at_the_end():
    assert run("""
        def hold():
            own = opsrun.Graph.from_yaml(graph.to_yaml())
            time.sleep(100)
        threading.Thread(target=hold, daemon=True).start()
        time.sleep(0.5)
    """) == (0, "", "")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_gets_an_exception():
    assert run("""
        math_ops.add(np.zeros(2), 1)
        child = os.fork()
        if child == 0:
            for call in (lambda: math_ops.add(np.zeros(2), 1), lambda: graph.run(x=x), lambda: math_ops.neg(1)):
                try:
                    call()
                    print("no exception", flush=True)
                except RuntimeError as error:
                    print("spawn" in str(error), flush=True)
            os._exit(3)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        print(math_ops.add(1, 2))
    """)[:2] == (0, "True\nTrue\nTrue\n3\n3\n")


def test_other_threads_run_meanwhile():
    assert run("""
        done = []
        thread = threading.Thread(target=lambda: done.append(math_ops.mat_mul(x, x)))
        thread.start()
        count = 0
        while thread.is_alive():
            count += 1
        print(count > 1000)
    """)[:2] == (0, "True\n")
