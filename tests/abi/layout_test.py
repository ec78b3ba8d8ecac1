"""Where every field of the contract lies, how large it is, and the number of every constant.

usage: layout_test.py [--update] C_API_H COMPILER GOLDEN

Compiles a C program that prints them, from the header's own lists of fields and from every constant that the header
defines, and compares what it prints with the golden file of the level. Checks that the lists are complete: a list that
lacks a field, or has one twice, leaves a gap or an overlap.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = """
#include "opsrun/c_api.h"
#include <stdio.h>
#define FIELD(T, f, n) printf("%%s.%%s %%zu %%zu #%%u\\n", #T, #f, offsetof(T, f), sizeof(((const T*)0)->f), n);
#define RESERVED(T, f) printf("%%s.%%s %%zu %%zu reserved\\n", #T, #f, offsetof(T, f), sizeof(((const T*)0)->f));
#define STRUCT(T, fp, FIELDS)          \\
  printf("%%s %%zu\\n", #T, sizeof(T)); \\
  FIELDS(FIELD, RESERVED)
#define FINGERPRINT(T, fp, FIELDS) FIELD(opsrun_note_plugin, fp, number++)
#define NUMBER(name) printf("%%s %%lld\\n", #name, (long long)(name));
#define TEXT(name) printf("%%s \\"%%s\\"\\n", #name, name);
int main(void) {
  unsigned number = 7;
  OPSRUN_STRUCTS(STRUCT)
  printf("opsrun_note_plugin %%zu\\n", sizeof(opsrun_note_plugin));
  FIELD(opsrun_note_plugin, size, 1u)
  FIELD(opsrun_note_plugin, header_level, 2u)
  FIELD(opsrun_note_plugin, min_level, 3u)
  FIELD(opsrun_note_plugin, flags, 4u)
  FIELD(opsrun_note_plugin, sdk_version, 5u)
  FIELD(opsrun_note_plugin, compiler, 6u)
  OPSRUN_STRUCTS(FINGERPRINT)
  printf("opsrun_cuda %%zu\\n", sizeof(opsrun_cuda));
  FIELD(opsrun_cuda, size, 1u)
  FIELD(opsrun_cuda, flags, 2u)
  FIELD(opsrun_cuda, record_use, 3u)
  FIELD(opsrun_cuda, side_stream, 4u)
%s
  return 0;
}
"""

# What differs between builds, or is no part of the contract.
NO_CONSTANTS = re.compile(r"OPSRUN_(C_API_H_|VERSION|EXPORT|COMPILER|NOTE_ATTRIBUTES|NOTE_PLUGIN_CONTENT|BUILT_\w+|BUILD_FLAGS)$")


def constants(header):
    """C lines that print each constant once, in the order of the header."""
    names = {}
    for name, value in re.findall(r"^#define (OPSRUN_\w+)[ \t]+(\S.*)$", header, re.M):
        if not NO_CONSTANTS.match(name):
            names[name] = "TEXT" if value.startswith('"') else "NUMBER"
    return "\n".join(f"  {kind}({name})" for name, kind in names.items())


def printed(header, compiler):
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
        source.write_text(PROGRAM % constants(header.read_text()))
        subprocess.run([compiler, "-std=c11", "-I", header.parent.parent, source, "-o", program], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def incomplete(layout):
    """What is wrong with the lists, one line each."""
    wrong, struct, size, end, number = [], "", 0, 0, 0
    for line in layout.splitlines() + ["end 0"]:
        words = line.split()
        if "." not in words[0]:
            if struct and end != size:
                wrong.append(f"{struct}: its list ends at {end}, the struct at {size}")
            if words[0].isupper():
                break
            struct, size, end, number = words[0], int(words[1]), 0, 0
            continue
        if int(words[1]) != end:
            wrong.append(f"{words[0]}: begins at {words[1]}, the field before it in the list ends at {end}")
        end = int(words[1]) + int(words[2])
        if words[3] != "reserved":
            number += 1
            if words[3] != f"#{number}":
                wrong.append(f"{words[0]}: has number {words[3]} in the list, not #{number}")
    return wrong


def level_1_sizes(layout):
    """Where a named size of level 1 is not that of its struct in the golden file of level 1."""
    lines = dict(line.split(" ", 1) for line in layout.splitlines())
    names = {name: "opsrun_" + name.removeprefix("OPSRUN_LEVEL_1_SIZE_").lower() for name in lines if "LEVEL_1_SIZE" in name}
    return [f"{name} is {lines[name]}, {struct} had {lines[struct]}" for name, struct in names.items() if lines[name] != lines[struct]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("header", type=pathlib.Path)
    parser.add_argument("compiler")
    parser.add_argument("golden", type=pathlib.Path)
    options = parser.parse_args()
    layout = printed(options.header.resolve(), options.compiler)
    wrong = incomplete(layout) + level_1_sizes(layout)
    if options.update:
        options.golden.write_text(layout)
    elif layout != options.golden.read_text():
        wrong += difflib.unified_diff(options.golden.read_text().splitlines(), layout.splitlines(), "level", "header", lineterm="")
        wrong.append("Plugins that exist depend on it: docs/abi.md says what may change, and how")
    print("\n".join(wrong) if wrong else f"{len(layout.splitlines())} lines as in {options.golden.name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
