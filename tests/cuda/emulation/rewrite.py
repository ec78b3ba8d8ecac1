"""rewrite.py: what only nvcc understands of a CUDA source becomes C++ for the stand-in of cuda_runtime.h.

usage: rewrite.py SOURCE OUTPUT

kernel<<<grid, block, shared, stream>>>(...) becomes Launch(a call of kernel, grid, block, shared, stream)(...), and
`extern __shared__ T name[];` a pointer. Lines keep their numbers, and messages name the source.

SPDX-License-Identifier: Apache-2.0
"""

import re
import sys

LAUNCH = re.compile(r"((?:[A-Za-z_][\w:]*)(?:\s*<(?:[^<>;]|<[^<>;]*>)*>)?)\s*<<<(.*?)>>>", re.S)
SHARED = re.compile(r"extern\s+__shared__\s+(?:__align__\([^)]*\)\s+)?([\w: ]+?)\s+(\w+)\[\s*\]\s*;")


def rewrite(text):
    text = LAUNCH.sub(r"::opsrun_emulation::Launch([](auto... arguments) { \1(arguments...); }, \2)", text)
    return SHARED.sub(r"\1* const \2 = static_cast<\1*>(::opsrun_emulation::SharedMemory());", text)


def main():
    source, output = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = file.read()
    with open(output, "w", encoding="utf-8") as file:
        file.write(f'#line 1 "{source}"\n' + rewrite(text))


if __name__ == "__main__":
    main()
