"""check_english.py: expressions that public text must not use, each with a better one.

usage: check_english.py ROOT

Public text is the documentation, the comments of public headers and examples, what the tests expect opsrun to print,
and all string literals of the host, the SDK and the bundled plugins.

SPDX-License-Identifier: Apache-2.0
"""

import re

import tree

# (pattern, instead)
REPLACED = [(re.compile(pattern, re.I), instead) for pattern, instead in (
    (r"(?<!there )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|later\b|earlier\b|larger\b|better\b)\w+",
     "'is not a ...', 'there is no ...'"),
    (r"\b(?:is|are) to be\b|\b(?:has|have) not to\b", "'must be', 'cannot be'"),
    (r"\bhangs? on\b", "'depends on'"),
    (r"\bmend(?:s|ed|ing)?\b", "'fix'"),
    (r"\bthere (?:is|are) not\b(?! enough)", "'there is no ...', 'is missing', 'but that much is not available'"),
    (r"\b(?:is|are) told\b", "'is reported', 'is notified'"),
    (r"\ba mistake of opsrun's own\b|\ba bug in opsrun\b", "'an internal error'"),
    (r"\b(?:has|have) not the\b", "'does not match'"),
    (r"\bnobody reads\b", "'is not read', 'is unused'"),
    (r"\bblanks?\b", "'space'"),
    (r"\bwho (?:calls|writes|reads|runs|builds|asks|makes|awaits) (?:it|one|them)\b", "'which', 'the caller'"),
    (r"\bstands? where\b", "'expected ..., found ...'"),
)]

PROSE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "docs/*/*.md", "examples/*",
         "tests/graphs/*.err", "tests/graphs/examples/*.err", "tests/graphs/schema_findings.txt")
HEADERS = ("sdk/include/*.h", "compat/opsrun_*.h", "host/embed/include/*.h", "host/embed/include/*.hpp")
LITERALS = ("host/*.cc", "host/*.h", "plugins/*.cc", "plugins/*.h", "sdk/*.h")
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')
INCLUDE = re.compile(r"\s*#\s*include\b")


def public_parts(path, line):
    """The parts of a line that people read."""
    if tree.matches(path, PROSE) or tree.matches(path, HEADERS):
        return [line]
    if INCLUDE.match(line):
        return []
    return [literal for literal in LITERAL.findall(line) if " " in literal]


def check(root):
    problems = []
    for path in tree.files(root):
        if not tree.matches(path, PROSE + HEADERS + LITERALS):
            continue
        for number, line in enumerate(tree.text(root, path).split("\n"), 1):
            for part in public_parts(path, line):
                for pattern, instead in REPLACED:
                    found = pattern.search(part)
                    if found:
                        problems.append(f"{path}:{number}: '{found.group(0)}': better {instead}")
    return problems


if __name__ == "__main__":
    tree.main(check)
