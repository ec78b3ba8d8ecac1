"""check_headers.py: docs/port_a_tensorflow_op.md lists the headers of compat/headers.txt.

usage: check_headers.py [--write] ROOT      --write: brings the page up to date

The page has a list of the headers that exist, and a list of those that say what to do instead, each between
<!-- headers: NAME --> and <!-- /headers -->.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import textwrap

import tree

PAGE = "docs/port_a_tensorflow_op.md"
TABLE = "compat/headers.txt"
OWN = {"absl/opsrun_layer.h"}
LIST = re.compile(r"(<!-- headers: (\w+) -->\n)(.*?)(<!-- /headers -->)", re.S)


def headers(root):
    """(names that exist, {sentence: names})"""
    there, stops, short = [], {}, {}
    for row in re.sub(r"\n +", "\t", tree.text(root, TABLE)).split("\n"):
        if match := re.fullmatch(r"([A-Z]+/) = (.*)", row):
            short[match[1]] = match[2]
            continue
        if row.startswith("stop: "):
            sentence, row = row.removeprefix("stop: ").split("\t", 1)
            names = stops.setdefault(sentence, [])
        else:
            names, row = there, row.partition(":")[2] if not row.startswith("#") else ""
        patterns = [re.sub(r"^[A-Z]+/", lambda match: short[match[0]], pattern) for pattern in row.split()]
        names.extend(name for pattern in patterns for name in tree.alternatives(pattern) if name not in OWN)
    return there, stops


def by_folder(names):
    """A phrase for each folder: its names without the folder. Folders with the same names share one."""
    folders, alike = {}, {}
    for name in names:
        folders.setdefault(os.path.dirname(name), []).append(os.path.basename(name))
    for folder, leaves in sorted(folders.items()):
        alike.setdefault(", ".join(f"`{leaf}`" for leaf in sorted(leaves)), []).append(f"`{folder}/`")
    return [f"{', '.join(those)}: {leaves}" for leaves, those in alike.items()]


def item(text):
    return textwrap.fill(text, 120, initial_indent="- ", subsequent_indent="  ", break_long_words=False,
                         break_on_hyphens=False) + "\n"


def lists(root):
    there, stops = headers(root)
    return {"absl": "".join(map(item, by_folder(n for n in there if n.startswith("absl/")))),
            "tensorflow": "".join(map(item, by_folder(n for n in there if not n.startswith("absl/")))),
            "missing": "".join(item(sentence[0].upper() + sentence[1:] + ". " + "; ".join(by_folder(names)))
                               for sentence, names in sorted(stops.items()))}


def check(root, write=False):
    page = tree.text(root, PAGE)
    wanted = lists(root)
    found = {match.group(2): match.group(3) for match in LIST.finditer(page)}
    problems = [f"{PAGE}:1: the list '{name}' is not up to date; --write brings it up to date"
                for name, text in wanted.items() if found.get(name) != text]
    if write and problems:
        page = LIST.sub(lambda match: match.group(1) + wanted.get(match.group(2), "") + match.group(4), page)
        tree.write(root, PAGE, page)
        return check(root)
    return problems


if __name__ == "__main__":
    tree.main(check, writes=True)
