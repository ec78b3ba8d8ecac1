"""check_tour.py: docs/house.svg draws the include table, and the sizes in docs/tour.md are those of the folders.

usage: check_tour.py [--write] ROOT      --write: writes the drawing and the sizes

A size in the tour is written as "`folder`, N lines". It may be a fifth too large or too small.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re

import check_includes
import tree

DRAWING, TOUR = "docs/house.svg", "docs/tour.md"
SIZE = re.compile(r"(`([a-z_/]+)`,\s)([\d,]+)(\slines)")
BOX, GAP, FLOOR, MARGIN = (104, 34), 64, 70, 20


def floors(rooms):
    """The rooms from the ground up; each stands above all that it includes. Fails if the table has a circle."""
    found, left = [], dict(rooms)
    while left:
        floor = [room for room, below in left.items() if not below & set(left)]
        if not floor:
            raise ValueError(f"a circle of includes among {sorted(left)}")
        found.append(floor)
        for room in floor:
            del left[room]
    return found


def arrows(rooms):
    """(room, below): what a room includes, without what it reaches through another room."""
    return sorted((room, below) for room, all_below in rooms.items() for below in all_below
                  if not any(below in rooms[other] for other in all_below))


def drawing(rooms):
    stack = floors(rooms)
    width = max(len(floor) for floor in stack) * (BOX[0] + GAP) - GAP + 2 * MARGIN
    height = len(stack) * FLOOR - (FLOOR - BOX[1]) + 2 * MARGIN
    places = {}
    for level, floor in enumerate(stack):
        left = (width - len(floor) * (BOX[0] + GAP) + GAP) // 2
        for i, room in enumerate(floor):
            places[room] = left + i * (BOX[0] + GAP), height - MARGIN - BOX[1] - level * FLOOR
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="15">',
             '<rect width="100%" height="100%" fill="white"/>']
    for room, below in arrows(rooms):
        (x, y), (to_x, to_y) = places[room], places[below]
        lines.append(f'<path d="M{x + BOX[0] // 2} {y + BOX[1]} L{to_x + BOX[0] // 2} {to_y}" stroke="#999" fill="none"/>')
    for room, (x, y) in places.items():
        lines += [f'<rect x="{x}" y="{y}" width="{BOX[0]}" height="{BOX[1]}" rx="5" fill="#eef3fa" stroke="#446"/>',
                  f'<text x="{x + BOX[0] // 2}" y="{y + 22}" text-anchor="middle">{room}</text>']
    return "\n".join([*lines, "</svg>", ""])


def size_of(root, folder):
    """Lines of code and text in a folder that are not blank, in hundreds."""
    lines = sum(1 for path in tree.files(os.path.join(root, folder)) if not path.endswith((".png", ".so", ".npy"))
                for line in tree.read(root, f"{folder}/{path}").split(b"\n") if line.strip())
    return max(100, round(lines, -2))


def with_sizes(root, tour):
    return SIZE.sub(lambda match: f"{match[1]}{size_of(root, match[2]):,}{match[4]}", tour)


def check(root, write=False):
    if write:
        tree.write(root, DRAWING, drawing(check_includes.ROOMS))
        tree.write(root, TOUR, with_sizes(root, tree.text(root, TOUR)))
    problems = []
    if tree.text(root, DRAWING) != drawing(check_includes.ROOMS):
        problems.append(f"{DRAWING}: is not what the include table says; write it with check_tour.py --write")
    tour = tree.text(root, TOUR)
    for match in SIZE.finditer(tour):
        told, size = int(match[3].replace(",", "")), size_of(root, match[2])
        if not 0.8 <= told / size <= 1.2:
            line = tour.count("\n", 0, match.start()) + 1
            problems.append(f"{TOUR}:{line}: {match[2]} has {size:,} lines, not {told:,}")
    return problems


if __name__ == "__main__":
    tree.main(check, writes=True)
