"""gates.py: checks that c_api.h still states what each level stated.

usage: gates.py [--update] [--changelog FILE] C_API_H COMPILER LEVELS

LEVELS holds a folder for each level, level_N: the header as it was, c_api.txt, and layout.txt, where every field lies, how
large it is, and the number of every constant. CHANGELOG.md is the switch: a level is a draft until it says "**Level N is
frozen.**"
  - Of a draft, the header is exactly the snapshot; --update makes it so.
  - Of a frozen level, the header has every line of the snapshot, in order: it may gain lines, and loses none, whatever
    they hold: layouts, signatures, numbers, promises in comments. No field moves, and no number changes.
  - The lists of fields are complete, whatever the state: one that lacks a field, or has it twice, leaves a gap.

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
#include "c_api.h"
#include <stdio.h>
#define FIELD(T, f, n) printf("%s.%s %zu %zu #%u\\n", #T, #f, offsetof(T, f), sizeof(((const T*)0)->f), n);
#define RESERVED(T, f) printf("%s.%s %zu %zu reserved\\n", #T, #f, offsetof(T, f), sizeof(((const T*)0)->f));
#define FIELDS_OF(T, fp, FIELDS) FIELDS(FIELD, RESERVED)
#define SIZE(T, fp, FIELDS) printf("%s %zu\\n", #T, sizeof(T));
#define FINGERPRINT(T, fp, FIELDS) FIELD(opsrun_note_plugin, fp, number++)
#define NUMBER(name) printf("%s %lld\\n", #name, (long long)(name));
#define TEXT(name) printf("%s \\"%s\\"\\n", #name, name);
int main(void) {
  unsigned number = 7;
  OPSRUN_STRUCTS(SIZE)
  LISTS
  SIZE(opsrun_note_plugin, , )
  FIELD(opsrun_note_plugin, size, 1u)
  FIELD(opsrun_note_plugin, header_level, 2u)
  FIELD(opsrun_note_plugin, min_level, 3u)
  FIELD(opsrun_note_plugin, flags, 4u)
  FIELD(opsrun_note_plugin, sdk_version, 5u)
  FIELD(opsrun_note_plugin, compiler, 6u)
  FINGERPRINTS
  SIZE(opsrun_cuda, , )
  FIELD(opsrun_cuda, size, 1u)
  FIELD(opsrun_cuda, flags, 2u)
  FIELD(opsrun_cuda, record_use, 3u)
  FIELD(opsrun_cuda, side_stream, 4u)
  SIZE(opsrun_log, , )
  FIELD(opsrun_log, size, 1u)
  FIELD(opsrun_log, flags, 2u)
  FIELD(opsrun_log, threshold, 3u)
  SIZE(opsrun_trace, , )
  FIELD(opsrun_trace, size, 1u)
  FIELD(opsrun_trace, flags, 2u)
  FIELD(opsrun_trace, now, 3u)
  FIELD(opsrun_trace, span, 4u)
  CONSTANTS
  return 0;
}
"""

# Text that differs between builds, or is not part of the contract.
NO_CONSTANTS = re.compile(
    r"OPSRUN_(C_API_H_|VERSION|USE_LEVEL|EXPORT|COMPILER|NOTE_ATTRIBUTES|NOTE_PLUGIN_CONTENT|BUILT_\w+|BUILD_FLAGS)$")

# Lines that every level changes: the version, and the level itself.
CHANGING = re.compile(r"#define OPSRUN_VERSION |#define OPSRUN_LEVEL | \*   - Level \d+ is not frozen yet")


def constants(header):
    """Each constant once, with its printf format, in the order of the header."""
    names = {}
    for name, value in re.findall(r"^#define (OPSRUN_\w+)[ \t]+(\S.*)$", header, re.M):
        if not NO_CONSTANTS.match(name):
            names[name] = "TEXT" if value.startswith('"') else "NUMBER"
    return names


def layout_of(header, compiler):
    """The output of the program for the header: a line for each struct, field and constant."""
    text = header.read_text()
    lists = sorted(re.findall(r"^#define (OPSRUN_STRUCTS(?:_\d+)?)\(S\)", text, re.M))
    program = PROGRAM.replace("FINGERPRINTS", "\n".join(f"{each}(FINGERPRINT)" for each in lists))
    program = program.replace("LISTS", "\n".join(f"{each}(FIELDS_OF)" for each in lists))
    program = program.replace("CONSTANTS", "\n".join(f"{kind}({name})" for name, kind in constants(text).items()))
    with tempfile.TemporaryDirectory() as folder:
        source, built = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
        source.write_text(program)
        words = [compiler, "-std=c11", "-w", "-DOPSRUN_USE_LEVEL=OPSRUN_LEVEL", "-I", header.parent, source, "-o", built]
        made = subprocess.run(words, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise ValueError(f"{header.name} does not compile: {made.stderr.splitlines()[0]}")
        printed = subprocess.run([built], check=True, capture_output=True, text=True).stdout.splitlines()
    # The fields of a struct are listed below it, whatever their level; the sort is stable.
    structs = [line.split()[0] for line in printed if "." not in line.split()[0] and line.islower()]
    return sorted(printed, key=lambda line: structs.index(line.split()[0].split(".")[0])
                  if line.split()[0].split(".")[0] in structs else len(structs))


def incomplete(layout):
    """Errors in the lists, one line each."""
    wrong, struct, size, end = [], "", 0, 0
    for line in layout + ["END 0"]:
        words = line.split()
        if "." not in words[0]:
            if struct and end != size:
                wrong.append(f"{struct}: its list ends at {end}, the struct at {size}")
            if words[0].isupper():
                break
            struct, size, end = words[0], int(words[1]), 0
            continue
        if int(words[1]) != end:
            wrong.append(f"{words[0]}: begins at {words[1]}, the field before it in the list ends at {end}")
        end = int(words[1]) + int(words[2])
    numbered = [re.match(r"(\w+)\.(\w+) \d+ \d+ #(\d+)", line) for line in layout]
    places = [(match.group(1), int(match.group(3))) for match in numbered if match]
    for before, after in zip(places, places[1:]):
        if before[0] == after[0] and after[1] not in (before[1] + 1, 1):
            wrong.append(f"{after[0]}: number {after[1]} follows {before[1]} in its list")
    return wrong


def wrong_sizes(layout, level_1):
    """Named sizes of level 1 that are not those of their structs in that level."""
    sizes = dict(line.split(" ", 1) for line in level_1 if "." not in line.split()[0])
    named = dict(line.split(" ", 1) for line in layout if line.startswith("OPSRUN_LEVEL_1_SIZE_"))
    structs = {name: "opsrun_" + name.removeprefix("OPSRUN_LEVEL_1_SIZE_").lower() for name in named}
    return [f"{name} is {named[name]}, {struct} had {sizes.get(struct)} bytes" for name, struct in structs.items()
            if named[name] != sizes.get(struct)]


def lost_lines(before, now):
    """The lines of a frozen snapshot that the header lacks or has moved."""
    rest = iter(now)
    return [f"lost: {line}" for line in before if not CHANGING.match(line) and line not in rest]


def moved(before, now):
    """The facts of a frozen layout that have changed. Values may not grow; a growing struct begins with its size."""
    kept = set(now)
    growing = {line.split(".")[0] for line in before if re.match(r"\w+\.size 0 4 ", line)}
    return [f"changed: {line}" for line in before
            if line not in kept and line.split()[0] not in growing | {"OPSRUN_LEVEL"}]


def problems(header, compiler, folder, frozen):
    """The errors of one level."""
    snapshot, golden = folder / "c_api.txt", folder / "layout.txt"
    missing = [f"{each.name} is missing" for each in (snapshot, golden) if not each.exists()]
    if missing:
        return missing
    try:
        layout = layout_of(header, compiler)
    except ValueError as error:
        return [str(error)]
    before = golden.read_text().splitlines()
    first = folder.parent / "level_1" / "layout.txt"
    wrong = incomplete(layout) + wrong_sizes(layout, first.read_text().splitlines())
    if frozen:
        return wrong + lost_lines(snapshot.read_text().splitlines(), header.read_text().splitlines()) + moved(before, layout)
    for old, new in ((before, layout), (snapshot.read_text().splitlines(), header.read_text().splitlines())):
        wrong += difflib.unified_diff(old, new, "snapshot", "header", lineterm="", n=0)
    return wrong


def is_frozen(changelog, level):
    return f"**Level {level} is frozen.**" in changelog


def update(header, compiler, folder):
    folder.mkdir(exist_ok=True)
    (folder / "c_api.txt").write_bytes(header.read_bytes())
    (folder / "layout.txt").write_text("\n".join(layout_of(header, compiler)) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true", help="make the snapshot of the header's level, which is a draft")
    parser.add_argument("--changelog", type=pathlib.Path)
    parser.add_argument("header", type=pathlib.Path)
    parser.add_argument("compiler")
    parser.add_argument("levels", type=pathlib.Path)
    options = parser.parse_args()
    changelog = options.changelog or options.levels.parent.parent / "CHANGELOG.md"
    history, header = changelog.read_text(), options.header.resolve()
    newest = int(re.search(r"^#define OPSRUN_LEVEL (\d+)u", header.read_text(), re.M).group(1))
    if options.update:
        if is_frozen(history, newest):
            sys.exit(f"level {newest} is frozen: its snapshot never changes")
        update(header, options.compiler, options.levels / f"level_{newest}")
    failed = False
    for level in range(1, newest + 1):
        frozen = is_frozen(history, level)
        wrong = problems(header, options.compiler, options.levels / f"level_{level}", frozen)
        print(f"level {level}, {'frozen' if frozen else 'a draft'}: {'ok' if not wrong else ''}")
        print("".join(f"  {line}\n" for line in wrong), end="")
        if wrong:
            failed = True
            print("  Plugins that exist depend on it: docs/abi.md says what may change." if frozen else
                  "  If this is meant: scripts/abi_snapshot")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
