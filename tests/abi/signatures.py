"""signatures.py: the numbers that stand for the signatures of functions in the fingerprints of c_api.h.

A fingerprint that only has offsets and sizes does not see that a function got another argument. So the lists
OPSRUN_STRUCTS, and those of later levels, have a number for each struct: the first 32 bits of the SHA-256 of the
declarations of its functions, without comments, and with the types of functions that they use. 0 without functions.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import re

COMMENT = re.compile(r"/\*.*?\*/", re.S)
# What a later level adds stands within such lines.
LATER = re.compile(r"^#if OPSRUN_USE_LEVEL >= (\d+)\n(.*?)^#endif\n", re.S | re.M)
FUNCTION = re.compile(r"[\w ]+[ *]+\(\*\w+\)\([^;]*\)", re.S)
LIST = re.compile(r"^#define OPSRUN_STRUCTS(?:_(\d+))?\(S\)(?:.*\\\n)+.*\n", re.M)
ROW = re.compile(r"(S\((\w+), \w+, \w+, )\w+(\))")


def declaration(text, struct):
    """What is between the braces of a struct."""
    found = re.search(r"(?:typedef )?struct " + struct + r" \{\n(.*?)^\}", text, re.S | re.M)
    if not found:
        raise ValueError(f"{struct} is not in the header")
    return found.group(1)


def number_of(text, struct, level):
    """The number, as a literal; text: the header without comments."""
    body = declaration(text, struct)
    if level == 1:
        body = LATER.sub("", body)
    else:
        body = "".join(added for number, added in LATER.findall(body) if int(number) == level)
    functions = FUNCTION.findall(body)
    if not functions:
        return "0u"
    types = {name: whole for whole, name in re.findall(r"typedef ([^;]*?\(\*(\w+)\)[^;]*);", text)}
    used = [types[name] for name in sorted(types) if any(re.search(rf"\b{name}\b", each) for each in functions)]
    told = "\n".join(" ".join(each.split()) for each in [*functions, *used])
    return f"0x{hashlib.sha256(told.encode()).hexdigest()[:8]}u"


def with_numbers(header):
    """The header with the numbers of its signatures."""
    bare = COMMENT.sub("", header)

    def renumbered(found):
        level = int(found.group(1) or 1)
        return ROW.sub(lambda row: row.group(1) + number_of(bare, row.group(2), level) + row.group(3), found.group())

    return LIST.sub(renumbered, header)
