"""examples/picture.py: converts a picture in an .npy file to PNG: uint8, [height, width] or [height, width, 3].

usage: picture.py FILE.npy FILE.png

Gray pictures are scaled so that their largest value becomes white.

SPDX-License-Identifier: Apache-2.0
"""

import ast
import struct
import sys
import zlib

PIXEL = 16  # the size of each pixel in the PNG


def read(path):
    """The height, the width and the RGB bytes of a picture."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:8] != b"\x93NUMPY\x01\x00":
        sys.exit(f"picture.py: {path} is not an .npy file of version 1.0")
    start = 10 + struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:start].decode())
    shape, pixels = header["shape"], content[start:]
    if header["descr"] != "|u1" or header["fortran_order"] or not (len(shape) == 2 or len(shape) == 3 and shape[2] == 3):
        sys.exit(f"picture.py: {path} is {header['descr']} {list(shape)}; expected uint8 [height, width] or [height, width, 3]")
    if len(shape) == 2:
        white = max(pixels, default=0) or 1
        pixels = bytes(value * 255 // white for value in pixels for _ in range(3))
    return shape[0], shape[1], pixels


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def view(path, png):
    height, width, pixels = read(path)
    rows = bytearray()
    for y in range(height):
        row = pixels[y * width * 3:(y + 1) * width * 3]
        large = b"".join(row[x:x + 3] * PIXEL for x in range(0, len(row), 3))
        rows += (b"\0" + large) * PIXEL
    size = struct.pack(">IIBBBBB", width * PIXEL, height * PIXEL, 8, 2, 0, 0, 0)
    with open(png, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    print(f"{png}: {width} x {height} pixels")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    view(sys.argv[1], sys.argv[2])
