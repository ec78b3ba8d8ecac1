"""check_refusals.py: every sentence about a plugin file is in what the tests expect to be printed.

usage: check_refusals.py ROOT

Sentences are the texts of three words or more in the sources that look at plugins, open and try them; what stands in
braces may be anything. Expected to be printed are the .out and .err files of the tests, and the pages of docs/errors.

SPDX-License-Identifier: Apache-2.0
"""

import re

import tree

SOURCES = ("host/examine/", "host/plugin/")
LEAST_WORDS = 3

# What is not printed, and why.
NOT_PRINTED = {
    "it has no dynamic section": "ElfFile refuses a file without one first",
    "its dynamic section cannot be read": "CheckTables refuses what cannot be read first",
    ": undefined symbol: ": "what the C library says",
    "opsrun-probe is started by opsrun, to open a plugin in a process of its own\\n": "to who starts it by hand",
    "opsrun verdict 1": "a line of a file",
    "{}\\nhost {}\\npath {}\\nstamp {} {}\\nbuild {}\\ncontent {:x}\\n": "a file",
}

TOKEN = re.compile(r'//[^\n]*|"((?:[^"\\\n]|\\.)*)"')
TO_COMPILERS = re.compile(r"^#.*$|static_assert\(.*?\);", re.M | re.S)
VALUE = re.compile(r"\{[^{}]*\}")


def sentences(text):
    """The string literals, neighbours as one, that are long enough."""
    text = TO_COMPILERS.sub("", text)
    found, end = [], None
    for token in TOKEN.finditer(text):
        if token.group(1) is None:
            continue
        if end is not None and not text[end:token.start()].strip():
            found[-1] += token.group(1)
        else:
            found.append(token.group(1))
        end = token.end()
    return [each for each in found if len(each.split()) >= LEAST_WORDS and re.search("[a-z]", each)]


def pattern(sentence):
    return re.compile(".*".join(re.escape(part) for part in VALUE.split(sentence)))


def check(root):
    printed = "\n".join(text for place in (("tests/", (".out", ".err")), ("docs/errors/", ""))
                        for _, text in tree.texts(root, *place))
    problems, seen = [], set()
    for path, text in tree.texts(root, SOURCES, (".cc", ".h")):
        for sentence in sentences(text):
            seen.add(sentence)
            if sentence not in NOT_PRINTED and not pattern(sentence).search(printed):
                problems.append(f"{path}: no .out or .err file has '{sentence}': add a plugin to tests/bad_plugins that "
                                "brings it about")
    if seen:
        problems += [f"tests/rules/check_refusals.py: no source says '{sentence}'" for sentence in NOT_PRINTED.keys() - seen]
    return problems


if __name__ == "__main__":
    tree.main(check)
