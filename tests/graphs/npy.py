"""npy.py: .npy and .npz files to and from lines of text, such as "int32 [2, 2] 1 2 3 4".

SPDX-License-Identifier: Apache-2.0
"""

import ast
import contextlib
import io
import itertools
import json
import math
import struct
import zipfile

MAGIC = b"\x93NUMPY\x01\x00"

# NumPy's name: its descriptor, and the struct module's letter.
TYPES = {
    "bool": ("|b1", "?"), "int8": ("|i1", "b"), "int16": ("<i2", "h"), "int32": ("<i4", "i"), "int64": ("<i8", "q"),
    "uint8": ("|u1", "B"), "uint16": ("<u2", "H"), "uint32": ("<u4", "I"), "uint64": ("<u8", "Q"),
    "float16": ("<f2", "e"), "float32": ("<f4", "f"), "float64": ("<f8", "d"),
    "V1": ("|V1", "B"), "f1": ("<f1", "B"),  # the bytes of ml_dtypes' numbers
}


def number(word):
    if word in ("true", "false"):
        return word == "true"
    return float(word) if any(c in word for c in ".einf") else int(word)


def content(line):
    """The bytes of the tensor that the line describes. "... cut N" at its end omits the last N bytes."""
    line, _, cut = line.partition(" cut ")
    name, rest = line.split(" ", 1)
    shape, end = json.JSONDecoder().raw_decode(rest)
    descriptor, letter = TYPES[name]
    values = [number(word) for word in rest[end:].split()]
    shape_text = "(" + "".join(f"{size}," for size in shape) + ")"
    header = f"{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape_text}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    whole = MAGIC + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{letter}", *values)
    return whole[:len(whole) - int(cut or 0)]


def write(path, line):
    """Writes the tensor that the line describes."""
    with open(path, "wb") as file:
        file.write(content(line))


class Unseekable(io.RawIOBase):
    """A file that cannot seek, like a pipe: an archive gets its sizes after the data."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def add(path, line):
    """Adds "KEY TYPE ..." to an archive, like np.savez. Words before TYPE: deflated, like np.savez_compressed; zip64,
    as in an archive of more than 4 GB; streamed, as into a pipe, for the only array."""
    key, *words = line.split(" ")
    forms = list(itertools.takewhile(lambda word: word not in TYPES, words))
    method = zipfile.ZIP_DEFLATED if "deflated" in forms else zipfile.ZIP_STORED
    limit = 10 if "zip64" in forms else zipfile.ZIP64_LIMIT
    with contextlib.ExitStack() as stack:
        stack.callback(setattr, zipfile, "ZIP64_LIMIT", zipfile.ZIP64_LIMIT)
        zipfile.ZIP64_LIMIT = limit
        streamed = "streamed" in forms
        file = Unseekable(stack.enter_context(open(path, "wb"))) if streamed else path
        archive = stack.enter_context(zipfile.ZipFile(file, "w" if streamed else "a", method))
        with archive.open(key + ".npy", "w", force_zip64=True) as member:
            member.write(content(" ".join(words[len(forms):])))


def show(path):
    """The line for a file, or a line for each array of an archive; or the reason why it cannot be read."""
    try:
        with open(path, "rb") as file:
            if file.read(2) != b"PK":
                file.seek(0)
                return text(file.read())
        with zipfile.ZipFile(path) as archive:
            return "".join(f"\n  {name}: {text(archive.read(name))}" for name in archive.namelist())
    except FileNotFoundError:
        return "no such file"


def text(whole):
    """The line for the bytes of a file."""
    if whole[:8] != MAGIC:
        return f"no .npy file, but {whole[:40]!r}"
    data = 10 + struct.unpack("<H", whole[8:10])[0]
    header = ast.literal_eval(whole[10:data].decode())
    if header["descr"][1] in "SU":
        return f"{header['descr']} {list(header['shape'])} {strings(header, whole[data:])}"
    name, letter = next((name, letter) for name, (descriptor, letter) in TYPES.items() if descriptor == header["descr"])
    values = struct.unpack(f"<{math.prod(header['shape'])}{letter}", whole[data:])
    words = [str(value).lower() for value in values]
    return f"{name} {list(header['shape'])} {' '.join(words)}".rstrip()


def strings(header, data):
    """The elements of an array of NumPy's bytes ("|S5") or characters ("<U5")."""
    characters = header["descr"][1] == "U"
    width = int(header["descr"][2:]) * (4 if characters else 1)
    pieces = [data[i:i + width] for i in range(0, len(data), width)]
    texts = [piece.decode("utf-32-le") if characters else piece for piece in pieces]
    return " ".join(repr(text.rstrip("\0" if characters else b"\0")) for text in texts)
