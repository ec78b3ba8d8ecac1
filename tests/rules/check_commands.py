"""check_commands.py: no test is started with the name of a CMake target in the place of a file.

usage: check_commands.py BUILD

CMake replaces the name of a target by its file only as the first word of a COMMAND. Behind a wrapper, such as
tests/cuda/on_card.py, the file must be written as $<TARGET_FILE:...>; else the test starts a program of that name, and on
machines where the wrapper skips the test nobody notices.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re

import tree

TARGET = re.compile(r'"(\w+::\w+)"')


def check(build):
    problems = []
    for path in sorted(pathlib.Path(build).rglob("CTestTestfile.cmake")):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            problems += [f"{path.relative_to(build)}:{number}: a test is started with '{name}', which is no file; write "
                         f"$<TARGET_FILE:{name}>" for name in TARGET.findall(line)]
    return problems


if __name__ == "__main__":
    tree.main(check)
