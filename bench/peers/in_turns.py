"""bench/peers/in_turns.py: times chains of calls of a native op and of the same op in a plugin, alternating in one process.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import statistics
import time

CHAIN = 1000


def chain(op, x, calls=CHAIN):
    for _ in range(calls):
        x = op(x)
    return x


def parser():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=200)
    return options


def print_header():
    print(f"{'':28}{'':10}{'least':>10}{'':8}{'':12}{'median':>10}")
    print(f"{'':28}{'native':>10}{'plugin':>10}{'ratio':>8}{'native':>12}{'plugin':>10}{'ratio':>8}")


def compare(name, native, plugin, rounds, calls=CHAIN):
    """Prints nanoseconds per call. The functions run so many calls each."""
    times = {native: [], plugin: []}
    for _ in range(5):
        native(), plugin()
    for turn in range(rounds):
        for run in (native, plugin) if turn % 2 == 0 else (plugin, native):
            begin = time.perf_counter_ns()
            run()
            times[run].append((time.perf_counter_ns() - begin) / calls)
    least = {run: min(each) for run, each in times.items()}
    middle = {run: statistics.median(each) for run, each in times.items()}
    print(f"{name:28}{least[native]:10.0f}{least[plugin]:10.0f}{least[plugin] / least[native]:8.2f}"
          f"{middle[native]:12.0f}{middle[plugin]:10.0f}{middle[plugin] / middle[native]:8.2f}", flush=True)
