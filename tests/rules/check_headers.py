"""check_headers.py: docs/port_a_tensorflow_op.md lists the headers of sdk/tensorflow_compat.

usage: check_headers.py [--write] ROOT      --write: brings the page up to date

The page has a list of the headers that exist, and a list of those that say what to do instead, each between
<!-- headers: NAME --> and <!-- /headers -->.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import sys
import textwrap

import tree

PAGE = "docs/port_a_tensorflow_op.md"
COMPAT = "sdk/tensorflow_compat/"
LAYER = COMPAT + "absl/"
OWN = ("opsrun_compat/", "absl/opsrun_layer.h", "absl/container/hash_containers.h", "absl/time/duration.h",
       "absl/time/format_time.h")
STOP = re.compile(r'#include "opsrun has no (\S+): (.*)"')
LIST = re.compile(r"(<!-- headers: (\w+) -->\n)(.*?)(<!-- /headers -->)", re.S)


def name_of(path):
    """The name by which a source includes the header, or None."""
    for folder in (LAYER, COMPAT):
        if path.startswith(folder):
            name = path[len(folder):]
            return None if name.startswith(OWN) else name
    return None


def headers(root):
    """(names that exist, {sentence: names}): the headers of the folder."""
    there, stops = [], {}
    for path in tree.files(root):
        name = name_of(path)
        if name is None:
            continue
        stop = STOP.search(tree.text(root, path))
        if stop:
            stops.setdefault(stop.group(2), []).append(name)
        else:
            there.append(name)
    return there, stops


def lines_of(names):
    """One paragraph for each folder: its names without the folder."""
    folders = {}
    for name in names:
        folders.setdefault(os.path.dirname(name), []).append(os.path.basename(name))
    return "".join(item(f"`{folder}/`: " + ", ".join(f"`{leaf}`" for leaf in sorted(leaves)))
                   for folder, leaves in sorted(folders.items()))


def item(text):
    return textwrap.fill(text, 120, initial_indent="- ", subsequent_indent="  ", break_long_words=False,
                         break_on_hyphens=False) + "\n"


def lists(root):
    there, stops = headers(root)
    missing = "".join(item(sentence[0].upper() + sentence[1:] + ": " + ", ".join(f"`{name}`" for name in sorted(names)))
                      for sentence, names in sorted(stops.items()))
    return {"absl": lines_of(n for n in there if n.startswith("absl/")),
            "tensorflow": lines_of(n for n in there if not n.startswith("absl/")),
            "missing": missing}


def check(root, write=False):
    if not os.path.isfile(os.path.join(root, PAGE)):
        return [f"{PAGE}:1: the page is missing"]
    page = tree.text(root, PAGE)
    wanted = lists(root)
    found = {match.group(2): match.group(3) for match in LIST.finditer(page)}
    problems = [f"{PAGE}:1: the list '{name}' is not up to date; --write brings it up to date"
                for name, text in wanted.items() if found.get(name) != text]
    if write and problems:
        page = LIST.sub(lambda match: match.group(1) + wanted.get(match.group(2), "") + match.group(4), page)
        with open(os.path.join(root, PAGE), "w", encoding="utf-8") as file:
            file.write(page)
        return check(root)
    return problems


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        sys.exit(tree.report(check(sys.argv[2], write=True)))
    tree.main(check)
