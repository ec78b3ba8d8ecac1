"""npy.py: .npy files to and from one line of text, such as "int32 [2, 2] 1 2 3 4".

SPDX-License-Identifier: Apache-2.0
"""

import ast
import json
import math
import struct

MAGIC = b"\x93NUMPY\x01\x00"

# NumPy's name: its descriptor, and the struct module's letter.
TYPES = {
    "bool": ("|b1", "?"), "int8": ("|i1", "b"), "int16": ("<i2", "h"), "int32": ("<i4", "i"), "int64": ("<i8", "q"),
    "uint8": ("|u1", "B"), "uint16": ("<u2", "H"), "uint32": ("<u4", "I"), "uint64": ("<u8", "Q"),
    "float16": ("<f2", "e"), "float32": ("<f4", "f"), "float64": ("<f8", "d"),
}


def number(word):
    if word in ("true", "false"):
        return word == "true"
    return float(word) if any(c in word for c in ".einf") else int(word)


def write(path, line):
    """Writes the tensor that the line spells. "... cut N" at its end leaves out the last N bytes."""
    line, _, cut = line.partition(" cut ")
    name, rest = line.split(" ", 1)
    shape, end = json.JSONDecoder().raw_decode(rest)
    descriptor, letter = TYPES[name]
    values = [number(word) for word in rest[end:].split()]
    shape_text = "(" + "".join(f"{size}," for size in shape) + ")"
    header = f"{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape_text}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    content = MAGIC + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{letter}", *values)
    with open(path, "wb") as file:
        file.write(content[:len(content) - int(cut or 0)])


def show(path):
    """The line for a file; or why there is none."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return "no such file"
    if content[:8] != MAGIC:
        return f"no .npy file, but {content[:40]!r}"
    data = 10 + struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:data].decode())
    name, letter = next((name, letter) for name, (descriptor, letter) in TYPES.items() if descriptor == header["descr"])
    values = struct.unpack(f"<{math.prod(header['shape'])}{letter}", content[data:])
    words = [str(value).lower() for value in values]
    return f"{name} {list(header['shape'])} {' '.join(words)}".rstrip()
