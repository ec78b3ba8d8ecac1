"""count_lines.py: how large the project is, by folder.

usage: count_lines.py [ROOT [FOLDER]]      FOLDER: in more detail

Lines are those of all tracked files that are not blank. Source files are those in a programming language, and those of
CMake.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import os
import subprocess
import sys

SOURCES = (".c", ".cc", ".h", ".hpp", ".cu", ".py", ".pyi", ".sh", ".cmake", "CMakeLists.txt")


def count(root, paths, inside=""):
    """{folder: [lines, source files]} of the files below `inside`, one level down."""
    table = collections.defaultdict(lambda: [0, 0])
    depth = len(inside.split("/")) if inside else 0
    for path in paths:
        if inside and not path.startswith(inside + "/"):
            continue
        parts = path.split("/")
        row = table["/".join(parts[:depth + 1]) if len(parts) > depth + 1 else "/".join(parts[:depth]) or "."]
        with open(os.path.join(root, path), "rb") as file:
            row[0] += sum(1 for line in file.read().split(b"\n") if line.strip())
        row[1] += path.endswith(SOURCES)
    return table


def tracked(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    return [path for path in listed.split("\0") if os.path.isfile(os.path.join(root, path))]


def text_of(table):
    rows = sorted(table.items(), key=lambda row: -row[1][0])
    rows.append(("all", [sum(row[1][0] for row in rows), sum(row[1][1] for row in rows)]))
    return "".join(f"{lines:8} lines {files:5} source files  {folder}\n" for folder, (lines, files) in rows)


if __name__ == "__main__":
    ROOT = sys.argv[1] if len(sys.argv) > 1 else "."
    sys.stdout.write(text_of(count(ROOT, tracked(ROOT), sys.argv[2] if len(sys.argv) > 2 else "")))
