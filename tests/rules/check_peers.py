"""check_peers.py: bench/results/peers.txt and docs/peers.svg are what bench/results/peers.json says.

usage: check_peers.py [--write] ROOT      --write: writes both

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import sys

import tree

DATA = "bench/results/peers.json"


def check(root, write=False):
    sys.path.insert(0, os.path.join(root, "bench/peers"))
    import report

    data = json.loads(tree.text(root, DATA))
    wanted = {"bench/results/peers.txt": report.text(data), "docs/peers.svg": report.picture(data)}
    problems = []
    for path, text in wanted.items():
        if write:
            tree.write(root, path, text)
        elif not os.path.exists(os.path.join(root, path)) or tree.text(root, path) != text:
            problems.append(f"{path}: is not what {DATA} says; write it with check_peers.py --write")
    return problems


if __name__ == "__main__":
    tree.main(check, writes=True)
