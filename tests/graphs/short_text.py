"""short_text.py: what a program has printed, in the shorter form that .err and .out files have.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re

HEAD = re.compile(r"^(error|warning)\[([A-Z]\d+)\]:", re.M)
CLOSING = re.compile(r"\n[^\n]* run: opsrun explain [A-Z]\d+\n\Z")
# The place of a message and the lines that are quoted below it; a quoted line and the marks below it.
QUOTATION = re.compile(r"\n( +)--> (\S+):(\d+):(\d+)\n\1 \|\n((?:\.\.\.\n|\1 \|.*\n|\d+ *\|.*\n)+)")
MARKED = re.compile(r"^((\d+) +)\| (.*)\n +\| (.*)$", re.M)


def closing_of(err):
    """The empty line and the summary that end these messages."""
    heads = HEAD.findall(err)
    counts = [(sum(level == kind for level, _ in heads), kind) for kind in ("error", "warning")]
    count = ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for n, kind in counts if n)
    code = min(heads, default=("", ""), key=lambda head: head[0] != "error")[1]  # the first error's, if there is one
    return f"\n{count}. For details, run: opsrun explain {code}\n"


def folded(err, name, lines):
    """The messages without the lines that they quote of the file `name`, if these are `lines` of it: the marks below a
    line are behind its number. If only the place is quoted, it is behind the message, and its marks are behind it."""
    def fold(match):
        arrow, path, line, column, quotation = match.groups()
        if path != name:
            return match.group()

        def fold_line(match):
            margin, number, text, marks = match.groups()
            quoted = [text] == lines[int(number) - 1:int(number)] and len(margin) == len(arrow) + 1
            return f"{margin}: {marks}" if quoted else match.group()

        place, quotation = f"--> {path}:{line}:{column}", MARKED.sub(fold_line, quotation)
        alone = re.fullmatch(rf"{line} : {{{int(column)}}}(\^+)\n", quotation)
        return f" {place} {alone.group(1)}\n" if alone else f"\n{arrow}{place}\n{quotation}"

    return QUOTATION.sub(fold, err)


def packed(value, indent=""):
    """The JSON text, with each list and map that fits on one line, and other members on as few lines as they fit."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or len(indent + line) <= 120:
        return line
    names = [json.dumps(name, ensure_ascii=False) + ": " for name in value] if isinstance(value, dict) else [""] * len(value)
    members = value.values() if isinstance(value, dict) else value
    lines = []
    for name, member in zip(names, members):
        text = name + packed(member, indent + "  ")
        if lines and "\n" not in lines[-1] + text and len(f"{indent}  {lines[-1]}, {text},") <= 120:
            lines[-1] += ", " + text
        else:
            lines.append(text)
    return line[0] + "\n" + ",\n".join(f"{indent}  {line}" for line in lines) + f"\n{indent}{line[-1]}"


def without_layout(out):
    """A JSON document in packed form, if it is laid out with an indent of 2; any other text as it is."""
    try:
        value = json.loads(out)
    except ValueError:
        return out
    return packed(value) + "\n" if out == json.dumps(value, indent=2, ensure_ascii=False) + "\n" else out
