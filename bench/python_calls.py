#!/usr/bin/env python3
"""bench/python_calls.py: calls of an op on four numbers from Python, compared with np.add, in turns.

usage: PYTHONPATH=build/release/python build/venv/bin/python bench/python_calls.py [ROUNDS]

SPDX-License-Identifier: Apache-2.0
"""
import statistics
import sys
import time
import timeit

begin = time.perf_counter()
import numpy as np  # noqa: E402

with_numpy = time.perf_counter()
import opsrun  # noqa: E402

opsrun.ops.zero_out.zero_out([1])
with_opsrun = time.perf_counter()

CALLS = 20_000


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    x = np.arange(4, dtype=np.int32)
    zero_out, add = opsrun.ops.zero_out.zero_out, opsrun.ops.math_ops.add
    calls = {
        "np.add(x, x)": lambda: np.add(x, x),
        "zero_out(x)": lambda: zero_out(x),
        "zero_out(x, preserve_index=1)": lambda: zero_out(x, preserve_index=1),
        "add(x, x)": lambda: add(x, x),
        "add(x, 1)": lambda: add(x, 1),
    }
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(timeit.timeit(call, number=CALLS) / CALLS * 1e9)
    base = statistics.median(times["np.add(x, x)"])
    print(f"import numpy {1e3 * (with_numpy - begin):.0f} ms, then opsrun and a first call "
          f"{1e3 * (with_opsrun - with_numpy):.0f} ms; NumPy {np.__version__}, Python {sys.version.split()[0]}")
    print(f"{rounds} rounds of {CALLS} calls each, medians")
    for name, found in times.items():
        middle = statistics.median(found)
        print(f"{name:32}{middle:9.0f} ns  {middle / base:6.2f}")


if __name__ == "__main__":
    main()
