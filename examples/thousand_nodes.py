#!/usr/bin/env python3
"""Writes a graph of a thousand nodes: a hundred chains of ten, all from one signal.

    python3 examples/thousand_nodes.py > thousand.yaml
    opsrun thousand.yaml --repeat 1000 --threads 4 --profile

SPDX-License-Identifier: Apache-2.0
"""

import sys

CHAINS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
LENGTH = int(sys.argv[2]) if len(sys.argv) > 2 else 10

print("opsrun: 1")
print("feeds:")
print("  signal: {value: [3, 1, 4, 1, 5, 9, 2, 6], dtype: int32}")
print("nodes:")
for chain in range(CHAINS):
    for place in range(LENGTH):
        reads = "signal" if place == 0 else f"c{chain}_{place - 1}"
        keep = f"{{preserve_index: {chain % 8}}}"
        print(f"  c{chain}_{place}: {{op: ZeroOut, in: {reads}, attrs: {keep}}}")
print("outputs:")
for chain in range(min(CHAINS, 8)):
    print(f"  keeps_{chain}: c{chain}_{LENGTH - 1}")
