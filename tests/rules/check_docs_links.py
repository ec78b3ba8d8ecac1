"""check_docs_links.py: what the documents name exists.

usage: check_docs_links.py ROOT

Relative links in .md files with the headings that they lead to, and every path in backticks (`host/plan/plan.h`,
`tests/graphs/`). The index of docs/decisions.md links to every entry.

SPDX-License-Identifier: Apache-2.0
"""

import glob
import os
import re

import tree

LINK = re.compile(r"\]\(([^)\s]+)\)")
DECISIONS = "docs/decisions.md"
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


def exists(root, path):
    return all(glob.glob(os.path.join(glob.escape(root), one)) for one in tree.alternatives(path))


def anchors(root, path):
    """The headings of a document, as links spell them."""
    headings = [line.lstrip("# ").lower() for _, line in prose(tree.text(root, path)) if line.startswith("#")]
    return [re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings]


def leads_somewhere(root, path, target):
    file, _, heading = target.partition("#")
    page = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
    return exists(root, page) and (not heading or heading in anchors(root, page))


def check_index(root):
    """Entries, whose headings begin with a date, that the index above the first one lacks."""
    linked = LINK.findall(tree.text(root, DECISIONS).split("\n## 2")[0])
    return [f"{DECISIONS}: the index has no link to #{name}"
            for name in anchors(root, DECISIONS) if name[:1].isdigit() and "#" + name not in linked]


def check_document(root, path):
    for number, line in prose(tree.text(root, path)):
        for target in LINK.findall(line):
            if not re.match(r"[a-z]+:", target) and not leads_somewhere(root, path, target):
                yield f"{path}:{number}: the link {target} leads nowhere"
        for name in BACKTICKS.findall(line):
            if PATH.match(name) and not exists(root, name.rstrip("/")):
                yield f"{path}:{number}: there is no {name}"


def check(root):
    pages = [path for path in tree.files(root) if path.endswith(".md")]
    problems = [problem for path in pages for problem in check_document(root, path)]
    return problems + (check_index(root) if DECISIONS in pages else [])


if __name__ == "__main__":
    tree.main(check)
