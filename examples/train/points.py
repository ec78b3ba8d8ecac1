"""points.py: prints the points of model.yaml: two clouds that overlap, the same on every machine.

usage: points.py > points.txt

SPDX-License-Identifier: Apache-2.0
"""

import random


def main():
    draw = random.Random(16)
    for label, x, y in ((0, -1.0, -0.5), (1, 1.0, 0.8)):
        for _ in range(20):
            print(f"[{draw.gauss(x, 0.9):.2f}, {draw.gauss(y, 0.9):.2f}] {label}")


if __name__ == "__main__":
    main()
