"""check_snippets.py: code in the documents equals the files that are built and tested.

usage: check_snippets.py [--write] ROOT      --write: brings the documents up to date

A fenced block of code in a .md file stands under a marker:

    <!-- snippet: plugins/pad/pad_op.cc#op -->    the region between // [op] and // [/op], or # [op] and # [/op]
    <!-- snippet: examples/quickstart.yaml -->    the whole file
    <!-- prose -->                                not code of ours: nothing to compare

The pages of docs/errors are left alone: tests/graphs/run_page.py runs what they show.

In a console block the first lines that begin with "$ " are what one types, and are not compared.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import textwrap

import tree

ARE_RUN = "docs/errors/"
MUST_BE_MARKED = {"c", "cc", "cpp", "c++", "yaml", "yml", "console", "cmake"}
MARKER = re.compile(r"<!--\s*(?:snippet:\s*(\S+?)(?:#(\S+))?|(prose))\s*-->\s*$")
FENCE = re.compile(r"(\s*)```(\S*)\s*$")
EDGE = re.compile(r"\s*(?://|#)\s*\[/?[\w.-]+\]\s*$")


def region(source, name):
    """The lines of the region, without common indentation; None unless the source has one region of that name."""
    inside = re.findall(
        rf"^[ \t]*(?://|#) \[{re.escape(name)}\][ \t]*\n(.*?)^[ \t]*(?://|#) \[/{re.escape(name)}\][ \t]*$",
        source, re.S | re.M)
    return textwrap.dedent(without_edges(inside[0])) if len(inside) == 1 else None


def without_edges(source):
    return "".join(line for line in source.splitlines(True) if not EDGE.match(line))


def wanted(root, path, name):
    """(text, problem): what a marker asks for."""
    if not os.path.isfile(os.path.join(root, path)):
        return None, f"there is no file {path}"
    source = tree.text(root, path)
    if name is None:
        return without_edges(source).strip("\n") + "\n", None
    found = region(source, name)
    if found is None:
        return None, f"{path} has no region [{name}], or more than one"
    return found.strip("\n") + "\n", None


def split_commands(language, body):
    """The lines of a console block that one types, and the others."""
    count = 0
    if language == "console":
        while count < len(body) and body[count].startswith("$ "):
            count += 1
    return body[:count], body[count:]


def blocks(lines):
    """(line number of the opening fence, language, first and last line of the body, the marker above it or None)."""
    marker = None
    i = 0
    while i < len(lines):
        fence = FENCE.match(lines[i])
        if fence:
            end = i + 1
            while end < len(lines) and lines[end].strip() != "```":
                end += 1
            yield i, fence.group(2).lower(), i + 1, end, marker
            i = end
            marker = None
        elif lines[i].strip():
            marker = MARKER.match(lines[i].strip())
        i += 1


def check_document(root, path):
    """(problems, the document as it should be)."""
    lines = tree.text(root, path).splitlines(True)
    problems = []
    out = []
    done = 0
    for opening, language, first, last, marker in blocks(lines):
        out += lines[done:first]
        done = first
        if marker is None:
            if language in MUST_BE_MARKED:
                problems.append(f"{path}:{opening + 1}: {language} without <!-- snippet: FILE#REGION --> or prose")
        elif not marker.group(3):
            text, problem = wanted(root, marker.group(1), marker.group(2))
            typed, shown = split_commands(language, lines[first:last])
            if problem:
                problems.append(f"{path}:{opening + 1}: {problem}")
            elif "".join(shown) != text:
                problems.append(f"{path}:{opening + 1}: differs from {marker.group(1)}; --write brings it up to date")
                out += typed + [text]
                done = last
    return problems, "".join(out + lines[done:])


def check(root, write=False):
    problems = []
    for path, before in tree.texts(root, "", ".md"):
        if path.startswith(ARE_RUN):
            continue
        found, text = check_document(root, path)
        problems += found
        if write and text != before:
            tree.write(root, path, text)
    return check(root) if write else problems


if __name__ == "__main__":
    tree.main(check, writes=True)
