"""check_words.py: what stands in no file of the project.

usage: check_words.py ROOT

Paths of one machine, links to places that are not on the list, notes to self, tabs and trailing spaces in sources,
files that are too long to read, and binary files.

SPDX-License-Identifier: Apache-2.0
"""

import re

import tree

# Every host that a link in the project may name.
LINKS = {"www.apache.org", "numpy.org", "yaml.org", "www.w3.org", "github.com", "json-schema.org", "dmlc.github.io", "data-apis.org",
         "distributed.dask.org", "docs.ray.io"}

# Written so that no pattern finds itself.
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:wor[k]|roo[t]|tm[p]/b_\w+)/")
NOTES_TO_SELF = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X]|HAC[K])\b")
LINK = re.compile(r"https?://([\w.-]+)")

LONGEST_TEXT, LONGEST_SOURCE = 600, 351  # with the empty string behind the last line
MAY_BE_LONG = {"docs/decisions.md", "sdk/include/opsrun/c_api.h", "tests/vectors/vectors_tf.yaml",
               *(f"host/embed/include/opsrun/embed{name}" for name in (".h", ".hpp", "_values.hpp"))}
MAY_BE_BINARY = ("examples/*.npy", "tests/*.npy", "docs/*.png", "tests/abi/level_*/witnesses/*.so",
                 "tests/fuzz/corpus/npz/*")
# Cases of what a graph must not hold.
MAY_HOLD_TABS_AND_SPACES = ("tests/graphs/*.yaml", "tests/graphs/*.out", "tests/graphs/*.err")
NOT_OURS = {"LICENSE"}


def line_problems(line, source):
    """What is wrong with one line of a text file; source: it is code."""
    found = MACHINE_PATHS.search(line)
    if found:
        yield f"a path of one machine: {found.group(0)}"
    for host in LINK.findall(line):
        if host not in LINKS:
            yield f"a link to {host}, which is not on the list in check_words.py"
    if source and NOTES_TO_SELF.search(line):
        yield "a note to self: do it, or write the reason into docs/decisions.md"
    if line != line.rstrip():
        yield "trailing spaces"
    if source and "\t" in line:
        yield "a tab"


def check_file(root, path):
    content = tree.read(root, path)
    if b"\0" in content:
        return [] if tree.matches(path, MAY_BE_BINARY) else [f"{path}: a binary file; see MAY_BE_BINARY in check_words.py"]
    problems = []
    lines = content.decode("utf-8", errors="replace").split("\n")
    source = tree.is_source(root, path)
    longest = LONGEST_SOURCE if source else LONGEST_TEXT
    if len(lines) > longest and path not in MAY_BE_LONG:
        problems.append(f"{path}: {len(lines)} lines, at most {longest} are allowed")
    if tree.matches(path, MAY_HOLD_TABS_AND_SPACES):
        return problems
    for number, line in enumerate(lines, 1):
        problems += [f"{path}:{number}: {problem}" for problem in line_problems(line, source)]
    if content and not content.endswith(b"\n"):
        problems.append(f"{path}:{len(lines)}: no line break at the end")
    return problems


def check(root):
    problems = []
    for path in tree.files(root):
        if path not in NOT_OURS:
            problems += check_file(root, path)
    return problems


if __name__ == "__main__":
    tree.main(check)
