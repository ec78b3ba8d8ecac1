"""gates.py: checks that c_api.h still states what each level stated.

usage: gates.py [--update] [--changelog FILE] C_API_H COMPILER LEVELS

LEVELS holds a folder for each level, level_N. Its layout.txt has the hash of the header, where every field lies, how
large it is, and the number of every constant. CHANGELOG.md is the switch: a level is a draft until it says "**Level N is
frozen.**"
  - Of a draft, the header has exactly that hash and that layout; --update makes it so.
  - Of a frozen level, c_api.txt is the header with that hash. The header now has every line of it, in order: it may gain
    lines, and loses none, whatever they hold: layouts, signatures, numbers, promises in comments. No field moves, and
    no number changes.
  - The lists of fields are complete, whatever the state: one that lacks a field, or has it twice, leaves a gap. The
    numbers of signatures in them are those of signatures.py; --update makes them so in the header.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import difflib
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

import signatures

PROGRAM = """
#include "c_api.h"
#include <stdio.h>
#define FIELD(T, f, n) printf("%s.%s %zu %zu #%u\\n", #T, #f, offsetof(T, f), sizeof(((const T*)0)->f), n);
#define RESERVED(T, f) printf("%s.%s %zu %zu reserved\\n", #T, #f, offsetof(T, f), sizeof(((const T*)0)->f));
#define FIELDS_OF(T, fp, FIELDS, signatures) FIELDS(FIELD, RESERVED)
#define SIZE(T, fp, FIELDS, signatures) printf("%s %zu\\n", #T, sizeof(T));
#define FINGERPRINT(T, fp, FIELDS, signatures) FIELD(opsrun_note_plugin, fp, number++)
#define NUMBER(name) printf("%s %lld\\n", #name, (long long)(name));
#define TEXT(name) printf("%s \\"%s\\"\\n", #name, name);
int main(void) {
  unsigned number = 8;
  OPSRUN_STRUCTS(SIZE)
  LISTS
  UNLISTED
  FINGERPRINTS
  CONSTANTS
  return 0;
}
"""

# Structs of which the header has no list, and their fields, without the fingerprints of notes.
UNLISTED = {"opsrun_note_plugin": "size header_level min_level flags cpu sdk_version compiler",
            "opsrun_cuda": "size flags record_use side_stream", "opsrun_log": "size flags threshold",
            "opsrun_trace": "size flags now span", "opsrun_memory": "size flags reserve give_back"}

# Text that differs between builds, or is not part of the contract.
NO_CONSTANTS = re.compile(
    r"OPSRUN_(C_API_H_|VERSION|USE_LEVEL|EXPORT|COMPILER|NOTE_PLACE|NOTE_ATTRIBUTES|NOTE_PLUGIN_CONTENT|AS_1|BUILT_\w+|BUILD_FLAGS)$")

# Lines that every level changes: the version, and the level itself.
CHANGING = re.compile(r"#define OPSRUN_VERSION |#define OPSRUN_LEVEL | \*   - Level \d+ is not frozen yet")


def header_of(folder):
    """The header of a level: of a draft, the current one."""
    kept = folder / "c_api.txt"
    return kept if kept.exists() else folder.parent.parent.parent / "sdk/include/opsrun/c_api.h"


def hash_of(header):
    return hashlib.sha256(header.read_bytes()).hexdigest()


def write_layout(path, header_hash, layout):
    """Each struct and its fields are one paragraph, and all constants are."""
    paragraphs = [f"c_api.h {header_hash}"]
    for line in layout:
        name = line.split()[0]
        if "." in name or name.isupper() and paragraphs[-1].startswith("OPSRUN_"):
            paragraphs[-1] += ", " + line.removeprefix(name.split(".")[0] + ".")
        else:
            paragraphs.append(line)
    wrapped = (textwrap.wrap(each, 120, subsequent_indent="  ", break_on_hyphens=False) for each in paragraphs)
    path.write_text("".join(f"{line}\n" for lines in wrapped for line in lines))


def read_layout(path):
    """The hash, and the lines of layout_of()."""
    first, *paragraphs = path.read_text().replace("\n  ", " ").splitlines()
    layout = []
    for first_line, *lines in (each.split(", ") for each in paragraphs):
        struct = "" if first_line.startswith("OPSRUN_") else first_line.split()[0] + "."
        layout += [first_line, *(struct + line for line in lines)]
    return first.removeprefix("c_api.h "), layout


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
    unlisted = [line for struct, fields in UNLISTED.items() for line in
                [f"SIZE({struct}, , , )", *(f"FIELD({struct}, {f}, {n}u)" for n, f in enumerate(fields.split(), 1))]]
    program = program.replace("UNLISTED", "\n".join(unlisted))
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
    missing = [f"{each.name} is missing" for each in (snapshot, golden) if not each.exists() and (frozen or each == golden)]
    if missing:
        return missing
    try:
        layout = layout_of(header, compiler)
    except ValueError as error:
        return [str(error)]
    text = header.read_text()
    if signatures.with_numbers(text) != text:
        return ["a signature has changed, but not its number in the lists OPSRUN_STRUCTS"]
    header_hash, before = read_layout(golden)
    wrong = incomplete(layout) + wrong_sizes(layout, read_layout(folder.parent / "level_1" / "layout.txt")[1])
    if header_hash != hash_of(snapshot if frozen else header):
        wrong.append(f"{snapshot.name if frozen else 'the header'} has changed")
    if frozen:
        return wrong + lost_lines(snapshot.read_text().splitlines(), header.read_text().splitlines()) + moved(before, layout)
    return wrong + list(difflib.unified_diff(before, layout, "snapshot", "header", lineterm="", n=0))


def is_frozen(changelog, level):
    return f"**Level {level} is frozen.**" in changelog


def update(header, compiler, folder):
    folder.mkdir(exist_ok=True)
    header.write_text(signatures.with_numbers(header.read_text()))
    write_layout(folder / "layout.txt", hash_of(header), layout_of(header, compiler))


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
