#!/usr/bin/env python3
"""bench/memory.py: how near the memory of a run comes to the least, as `opsrun plan` says it, as a table.

The graphs are the examples, the networks of bench/peers, and random graphs of 1,000 nodes, which are the same on every
machine. Nothing runs, so the table does not depend on the machine. bench/run_bench memory writes it to
bench/results/memory.txt. Environment: OPSRUN_BUILD, the build folder; its Python package is used.

SPDX-License-Identifier: Apache-2.0
"""

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


def memory_of(path, threads):
    """Bytes of a run, and the lower bound."""
    command = [os.path.join(BUILD, "bin", "opsrun"), "plan", path, "--json", "--threads", str(threads)]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"memory.py: {' '.join(command)} failed:\n{done.stderr[:2000]}")
    memory = json.loads(done.stdout)["memory"]
    return memory["bytes"], memory["lower_bound"]


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


def main():
    print("The memory for the tensors of a run, and how many times the least it is: the most bytes that exist at one step.\n")
    print(f"{'':52}{'at least':>12}" + "".join(f"{f'{n} thread' + 's' * (n > 1):>12}" for n in THREADS))
    worst = {threads: 0.0 for threads in THREADS}
    with tempfile.TemporaryDirectory() as folder:
        for name, path in paths(folder):
            found = {threads: memory_of(path, threads) for threads in THREADS}
            ratios = {threads: size / least if least else 1.0 for threads, (size, least) in found.items()}
            worst = {threads: max(worst[threads], ratios[threads]) for threads in THREADS}
            print(f"{name:52}{found[1][1]:12,}" + "".join(f"{ratios[threads]:12.3f}" for threads in THREADS), flush=True)
    print(f"{'the most':64}" + "".join(f"{worst[threads]:12.3f}" for threads in THREADS))


if __name__ == "__main__":
    main()
