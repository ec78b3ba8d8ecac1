"""tree.py: the files of the project, as the rules see them, and how a rule reports.

SPDX-License-Identifier: Apache-2.0
"""

import fnmatch
import os
import re
import sys

NOT_OURS = {".git", "build", "__pycache__"}
BRACES = re.compile(r"(.*){([^{}]*)}(.*)")
SOURCES = (".h", ".cc", ".c", ".py", ".cmake", ".map")


def files(root):
    """Every file's path below root, with slashes, in order."""
    found = []
    for folder, names, leaves in os.walk(root):
        names[:] = sorted(set(names) - NOT_OURS)
        for leaf in leaves:
            found.append(os.path.relpath(os.path.join(folder, leaf), root).replace(os.sep, "/"))
    return sorted(found)


def read(root, path):
    """The file's bytes."""
    with open(os.path.join(root, path), "rb") as file:
        return file.read()


def text(root, path):
    """The file as text; bytes that are no UTF-8 stay visible as question marks."""
    return read(root, path).decode("utf-8", errors="replace")


def texts(root, folders, endings):
    """(path, text) of each file below the folders with one of these endings."""
    for path in files(root):
        if path.startswith(folders) and path.endswith(endings):
            yield path, text(root, path)


def write(root, path, text):
    with open(os.path.join(root, path), "w", encoding="utf-8") as file:
        file.write(text)


def matches(path, patterns):
    return any(fnmatch.fnmatch(path, pattern) for pattern in patterns)


def alternatives(pattern):
    """"{a,b}.{h,cc}" means a.h, a.cc, b.h and b.cc."""
    match = BRACES.fullmatch(pattern)
    if not match:
        return [pattern]
    before, words, after = match.groups()
    return [path for word in words.split(",") for path in alternatives(before + word + after)]


def is_script(root, path):
    """A program without a suffix, such as scripts/run."""
    return "." not in os.path.basename(path) and read(root, path).startswith(b"#!")


def is_source(root, path):
    return path.endswith(SOURCES) or os.path.basename(path) == "CMakeLists.txt" or is_script(root, path)


def report(problems):
    """Prints "path:line: what is wrong" lines; the exit status of the rule."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} broken", file=sys.stderr)
    return 1 if problems else 0


def main(check, writes=False):
    """Runs check(root) for the root on the command line; for --write, if the rule writes, check(root, write=True)."""
    words = sys.argv[1:]
    options = {"write": True} if writes and words[:1] == ["--write"] else {}
    if len(words) != 1 + len(options):
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} {'[--write] ' if writes else ''}ROOT")
    sys.exit(report(check(words[-1], **options)))
