"""check_errors.py: each code that a message can have is explained, shown and tested.

usage: check_errors.py [--write] ROOT      --write: brings the list in docs/diagnostics.md up to date

A code of the host has a page in docs/errors, and each page is about a code of the host. A page has an example, which
tests/graphs/run_page.py runs, and some .err of tests/graphs has the code too; what cannot be made to happen there
stands in the tables below, with the reason.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re

import tree

PAGES = "docs/errors/"
LIST = "docs/diagnostics.md"
# As codes stand in the source: "G204" as a whole literal, or error[P106]: within one.
IN_SOURCE = re.compile(r'"([A-Z]\d{3})"|\[([A-Z]\d{3})\]: ')
IN_OUTPUT = re.compile(r'\[([A-Z]\d{3})\]: |"code":"([A-Z]\d{3})"')
PAGE = re.compile(r"# ([A-Z]\d{3}): ([^\n]+)\n\n.+?\n\nExit code: [^\n]*\d[^\n]*\.\n", re.S)
TITLE = re.compile(r"# [A-Z]\d{3}: (.+)")
LISTED = re.compile(r"(?<=<!-- codes -->\n).*?(?=<!-- /codes -->)", re.S)

# Codes whose pages have no example, and no .err: nothing that a graph or a command says makes them happen.
CANNOT_BE_CAUSED = {
    "B000": "a bug that is known is mended",
    "D100": "how much memory the program itself needs differs between machines and builds",
    "D102": "copies of results come from the system, whose memory would have to end between two allocations",
    "F305": "F202 and F203 find such arrays first; the code is for whoever calls lanes directly",
    "F306": "the program passes no such arguments; tests/host/embed has it",
    "R506": "the program has no memory of its own for results; tests/host/embed has it",
    "R505": "whether there is Graphviz differs between machines; tests/graphs/svg_test.py takes it away",
    "G224": "an op has to change between two commands; tests/graphs/compile_test.py has it",
    "G013": "ten million values take seconds to read, and minutes under sanitizers",
}
# Codes that no .err has, and the test that has them instead.
TESTED_ELSEWHERE = {
    "G015": "docs/errors/G015.md",
    "P105": "docs/errors/P105.md",
    "P106": "tests/bad_plugins/misbehaves_test.py",
    "P107": "tests/bad_plugins/misbehaves_test.py",
    "R402": "tests/graphs/signals_test.py",
    "R406": "tests/bad_plugins/misbehaves_test.py",
    "R407": "tests/bad_plugins/misbehaves_test.py",
    "R408": "tests/bad_plugins/misbehaves_test.py",
    "R409": "tests/bad_plugins/isolated_test.py",
    "R502": "tests/host/cli/command_line_test.cc",
}


def codes(pattern, text):
    return {one or other for one, other in pattern.findall(text)}


def of_source(root):
    """Where each code stands: {code: path}."""
    return {code: path for path, text in tree.texts(root, "host/", ".cc") for code in codes(IN_SOURCE, text)}


def of_pages(root):
    """{code: text}."""
    return {path[len(PAGES):-3]: text for path, text in tree.texts(root, PAGES, ".md")}


def of_expectations(root):
    return set().union(*(codes(IN_OUTPUT, text) for _, text in tree.texts(root, "tests/graphs/", ".err")))


def page_problem(code, text):
    """What is wrong with a page, or None."""
    match = PAGE.match(text)
    if not match or match.group(1) != code:
        return f"a page begins '# {code}: title', says what it means, and ends that with 'Exit code: n.'"
    has_example = "\n## Example\n" in text
    if has_example == (code in CANNOT_BE_CAUSED):
        return "it has an example: take it out of CANNOT_BE_CAUSED" if has_example else "there is no example"
    return None


def expectation_problem(root, code, expected):
    if code in expected or code in CANNOT_BE_CAUSED:
        return None
    path = TESTED_ELSEWHERE.get(code)
    if path is None:
        return f"no .err in tests/graphs has {code}"
    there = os.path.isfile(os.path.join(root, path)) and code in tree.text(root, path)
    return None if there else f"{path} does not have {code}"


def listed(pages):
    """The list of all codes, as docs/diagnostics.md has it."""
    titles = {code: TITLE.match(text) for code, text in sorted(pages.items())}
    rows = (f"| [{code}](errors/{code}.md) | {title.group(1) if title else ''} |\n" for code, title in titles.items())
    return "\n| | |\n|---|---|\n" + "".join(rows) + "\n"


def check_list(root, pages, write):
    if not os.path.isfile(os.path.join(root, LIST)):
        return []
    text = tree.text(root, LIST)
    wanted = LISTED.sub(lambda _: listed(pages), text)
    if wanted == text:
        return []
    if not write:
        return [f"{LIST}:1: the list of codes differs from the pages; --write brings it up to date"]
    tree.write(root, LIST, wanted)
    return []


def check(root, write=False):
    source, pages, expected = of_source(root), of_pages(root), of_expectations(root)
    problems = [f"{path}:1: {code} has no page {PAGES}{code}.md" for code, path in source.items() if code not in pages]
    for code, text in pages.items():
        problem = page_problem(code, text) if code in source else "no message of the host has this code"
        problem = problem or expectation_problem(root, code, expected)
        if problem:
            problems.append(f"{PAGES}{code}.md:1: {problem}")
    return problems + check_list(root, pages, write)


if __name__ == "__main__":
    tree.main(check, writes=True)
