#!/usr/bin/env python3
"""bench/memory.py: how near the memory of a run comes to the least, as `opsrun plan` says it, as a table.

Threads that run tasks at the same time need more at once than one thread. What they need at least follows from the plan:
the most bytes that exist at one moment if tasks begin in its order and take as long as their tensors are large.

The graphs are the examples, the networks of bench/peers, and random graphs of 1,000 nodes, which are the same on every
machine. Nothing runs, so the table does not depend on the machine. bench/run_bench memory writes it to
bench/results/memory.txt. Environment: OPSRUN_BUILD, the build folder; its Python package is used.

SPDX-License-Identifier: Apache-2.0
"""

import bisect
import collections
import heapq
import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("OPSRUN_BUILD", os.path.join(ROOT, "build", "release"))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "bench", "peers"), os.path.join(BUILD, "python")]

import graphs  # noqa: E402
import in_opsrun  # noqa: E402

EXAMPLES = ("quickstart", "slope", "price_list", "draw_house", "house_at_night", "mirror_lake", "specks_away", "checked")
THREADS = (1, 2, 4)
NODES, WIDTH, SEEDS = 1000, 32, (1, 2, 3)

# What node i reads of those before it: numbers of nodes; -1 is the feed.
SHAPES = {
    "a chain with skips": lambda r, i, _: [i - 1, max(-1, i - 1 - r.randrange(8))],
    "32 wide": lambda r, i, _: [max(-1, (i // WIDTH - 1) * WIDTH + r.randrange(WIDTH)) if i >= WIDTH else -1 for _ in "12"],
    "any earlier nodes": lambda r, i, _: [r.randrange(-1, i), i - 1 if r.random() < 0.5 else r.randrange(-1, i)],
    "a tree": lambda _r, i, n: [-1, -1] if i < (n + 1) // 2 else [2 * i - n - 1 - n % 2, 2 * i - n - n % 2],
    "down and up": lambda _r, i, n: [i - 1, n - 1 - i if i > n // 2 else i - 1],
}
# Elements of a node's output.
SIZES = {
    "equal": lambda _: 1 << 14,
    "1 KiB to 1 MiB": lambda r: int(2 ** r.uniform(8, 18)),
    "up to 256 KiB": lambda r: r.randrange(1, 1 << 16),
}


def random_graph(shape, sizes, seed):
    """Elements are float32. Nodes of equal sizes are sums, which may be in place; others join two arrays and take a part."""
    r = random.Random(seed)
    equal = sizes == "equal"
    steps = NODES if equal else NODES // 2
    feeds, nodes = {}, []
    for i in range(steps):
        a, b = (f"n{j}" if j >= 0 else "x" for j in SHAPES[shape](r, i, steps))
        if equal:
            nodes.append(f"  n{i}: {{op: Add, in: [{a}, {b}]}}")
            continue
        feeds[f"i{i}"] = SIZES[sizes](r)
        nodes += [f"  c{i}: {{op: ConcatV2, in: [[{a}, {b}], axis]}}", f"  n{i}: {{op: Gather, in: [c{i}, i{i}]}}"]
    lines = ["opsrun: 1", "feeds:", f"  x: {{dtype: float32, shape: [{SIZES['equal'](r)}]}}", "  axis: {value: 0, dtype: int32}"]
    lines += [f"  {name}: {{fill: 0, shape: [{size}], dtype: int32}}" for name, size in feeds.items()]
    return "\n".join([*lines, "nodes:", *nodes, f"outputs: [n{steps - 1}]", ""])


def plan_of(path, threads):
    command = [os.path.join(BUILD, "bin", "opsrun"), "plan", path, "--json", "--threads", str(threads)]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"memory.py: {' '.join(command)} failed:\n{done.stderr[:2000]}")
    return json.loads(done.stdout)


def times_of(plan, threads):
    """When each step begins and ends if threads take the tasks in the order of the plan. The unit is a byte."""
    steps, tasks = plan["steps"], plan["tasks"]
    made = {out["tensor"]: out["memory"]["bytes"] for step in steps for out in step["outputs"] if out["memory"]}
    costs = [3000 + sum(made.get(each["tensor"], 0) for each in step["inputs"] + step["outputs"]) for step in steps]
    waits = [task["waits_for"] for task in tasks]
    ready = [number for number, count in enumerate(waits) if count == 0]
    running, now, times = [], 0, [None] * len(steps)
    while ready or running:
        while ready and len(running) < threads:
            number = heapq.heappop(ready)
            task, end = tasks[number], now
            for step in range(task["first_step"], task["first_step"] + task["steps"]):
                times[step] = (end, end := end + costs[step])
            heapq.heappush(running, (end, number))
        now, number = heapq.heappop(running)
        for following in tasks[number]["next"]:
            waits[following] -= 1
            if waits[following] == 0:
                heapq.heappush(ready, following)
    return times


def least_of(plan, threads):
    """The most bytes of the arena in use at one moment. An output may be where an input is."""
    if not plan["tasks"]:
        return plan["memory"]["lower_bound"]
    times, ends, changes = times_of(plan, threads), collections.Counter(), []
    for step, (_, end) in zip(plan["steps"], times):
        for tensor in step["inputs"]:
            ends[tensor["tensor"]] = max(end, ends[tensor["tensor"]])
    for step, (begin, end) in zip(plan["steps"], times):
        for out in step["outputs"]:
            memory = out["memory"]
            if memory:
                place = memory["offset"], memory["offset"] + (memory["bytes"] + 63) // 64 * 64
                last = max(end, times[memory["last_step"]][1], ends[out["tensor"]])
                changes += [(begin, 1, place), (last, -1, place)]
    cuts = sorted({cut for _, _, place in changes for cut in place})
    users, used, most = [0] * len(cuts), 0, 0
    for _, change, (begin, end) in sorted(changes):
        for part in range(bisect.bisect(cuts, begin) - 1, bisect.bisect(cuts, end) - 1):
            used += ((users[part] + change > 0) - (users[part] > 0)) * (cuts[part + 1] - cuts[part])
            users[part] += change
        most = max(most, used)
    return most


def paths(folder):
    """(a name for the table, the graph file)"""
    for name in EXAMPLES:
        yield f"examples/{name}.yaml", os.path.join(ROOT, "examples", name + ".yaml")
    for name in ("digits", "residual"):
        for batch in (1, 16, 64):
            path = os.path.join(folder, f"{name}{batch}.yaml")
            in_opsrun.save(graphs.build((name, batch)), path)
            yield f"the network {name}, batch {batch}", path
    for shape in SHAPES:
        for sizes in SIZES:
            for seed in SEEDS:
                path = os.path.join(folder, "random.yaml")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(random_graph(shape, sizes, seed))
                yield f"1,000 nodes, {shape}, {sizes}, seed {seed}", path


HEAD = """The memory for the tensors of a run, and how many times the least it is. One thread needs at least the most bytes that
exist at one step. Threads need at least the most that exist at one moment if they run the tasks as planned. That may be
more than one thread needs, since they run some at the same time, or less, since they run them in another order. Both are
compared, but only the first where each thread has tiles of its own.

                                                                               2 threads           4 threads
                                                          at least  1 thread  of theirs   of one  of theirs    of one"""


def main():
    print(HEAD)
    most, lesser = [0.0] * 5, [0.0] * 2
    with tempfile.TemporaryDirectory() as folder:
        for name, path in paths(folder):
            plans = [plan_of(path, threads) for threads in THREADS]
            one = plans[0]["memory"]["lower_bound"]
            row = [plans[0]["memory"]["bytes"] / one]
            for number, (plan, threads) in enumerate(zip(plans[1:], THREADS[1:])):
                size = plan["memory"]["bytes"]
                pair = [size / least_of(plan, threads), size / one if not plan["sweeps"] else None]
                lesser[number] = max(lesser[number], min(factor for factor in pair if factor))
                row += pair
            most = [max(factor or 0, before) for factor, before in zip(row, most)]
            factors = "".join(f"{factor:10.3f}" if factor else f"{'':10}" for factor in row)
            print(f"{name:55}{one:11,}{factors}".rstrip(), flush=True)
    print(f"{'the most':66}" + "".join(f"{factor:10.3f}" for factor in most))
    print(f"{'the most, of the lesser of the two':76}" + "".join(f"{factor:20.3f}" for factor in lesser))


if __name__ == "__main__":
    main()
