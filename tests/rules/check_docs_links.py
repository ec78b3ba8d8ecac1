"""check_docs_links.py: what the documents name exists.

usage: check_docs_links.py ROOT

Relative links in .md files, and every path in backticks (`host/plan/plan.h`, `tests/graphs/`).

SPDX-License-Identifier: Apache-2.0
"""

import glob
import os
import re

import tree

LINK = re.compile(r"\]\(([^)\s]+)\)")
BACKTICKS = re.compile(r"`([^`\n]+)`")
# Text in backticks is a path of the project if it begins with one of its folders.
PATH = re.compile(r"(?:\.ci|bench|docs|examples|host|plugins|scripts|sdk|tests)/[\w./*{},-]*$")


def prose(text):
    """The document without its fenced blocks, line by line."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def alternatives(path):
    """"a.{h,cc}" means a.h and a.cc."""
    found = re.match(r"(.*)\{([^}]*)\}(.*)$", path)
    return [found.group(1) + one + found.group(3) for one in found.group(2).split(",")] if found else [path]


def exists(root, path):
    return all(glob.glob(os.path.join(glob.escape(root), one)) for one in alternatives(path))


def check_document(root, path):
    folder = os.path.dirname(path)
    for number, line in prose(tree.text(root, path)):
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:|#", target):
                continue
            if not exists(root, os.path.join(folder, target.split("#")[0])):
                yield f"{path}:{number}: the link {target} leads nowhere"
        for name in BACKTICKS.findall(line):
            if PATH.match(name) and not exists(root, name.rstrip("/")):
                yield f"{path}:{number}: there is no {name}"


def check(root):
    return [problem for path in tree.files(root) if path.endswith(".md") for problem in check_document(root, path)]


if __name__ == "__main__":
    tree.main(check)
