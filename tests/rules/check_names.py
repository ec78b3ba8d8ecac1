"""check_names.py: every name that compat/ offers to sources is used by a test.

usage: check_names.py ROOT

The names are those that declarations.py finds in compat/opsrun_compat and in the layer of abseil's names. A name is used if one file of the tests has it, together with the names of the classes and namespaces
around it. A member must stand behind ".", "->" or "::", a name of the layer behind "absl::".

SPDX-License-Identifier: Apache-2.0
"""

import re

import declarations
import tree

COMPAT = "compat/opsrun_compat/"
LAYER = "compat/opsrun_absl/"
# The sources that may use the names. Those of the layer are built twice there: with the layer and with abseil.
COMPAT_TESTS = ("tests/sdk/", "tests/cuda/", "compat/tests/")
LAYER_TESTS = ("compat/tests/absl/", "compat/tests/ported/", "compat/tests/must_not_compile/")


def is_used(name, is_absl, sources):
    macro = name.name.isupper()
    if name.is_member:
        pattern = rf"(?:\.|->|::)\s*(?:template\s+)?{name.name}\b"
    else:
        pattern = rf"\babsl::{name.name}\b" if is_absl and not macro and not name.around else rf"\b{name.name}\b"
    return any(re.search(pattern, text) and all(re.search(rf"\b{word}\b", text) for word in name.around)
               for text in sources)


def tests(root, folders):
    return [declarations.without_comments(text) for _, text in tree.texts(root, folders, (".cc", ".h"))]


def check(root):
    problems = []
    layer_tests, compat_tests = tests(root, LAYER_TESTS), tests(root, COMPAT_TESTS)
    for path, header in tree.texts(root, (LAYER, COMPAT), ".h"):
        is_absl = path.startswith(LAYER)
        try:
            names = declarations.names_of(header)
        except ValueError as error:
            problems.append(f"{path}:{error}")
            continue
        for name in names:
            if not is_used(name, is_absl, layer_tests if is_absl else compat_tests):
                where = LAYER_TESTS[0] if is_absl else "compat/tests/tensorflow/"
                problems.append(f"{path}:{name.line}: no test uses {name}; add one to {where}, or remove the name")
    return problems


if __name__ == "__main__":
    tree.main(check)
