"""examples/picture.py: pictures as .npy files, height x width x 3 of uint8: draws one, and makes them PNGs that can be looked at.

usage: picture.py draw FILE.npy
       picture.py draw-with-specks FILE.npy
       picture.py view FILE.npy FILE.png

SPDX-License-Identifier: Apache-2.0
"""

import ast
import math
import struct
import sys
import zlib

HEIGHT, WIDTH = 48, 96
PIXEL = 4  # how large a view shows each pixel

NIGHT, DAWN, SUN, FAR, NEAR, SNOW, TREE = (
    (38, 44, 92), (250, 176, 120), (255, 240, 190), (112, 96, 140), (66, 62, 98), (236, 232, 244), (24, 40, 44))


def mix(one, other, share):
    return tuple(round(a + (b - a) * share) for a, b in zip(one, other))


def peak(x, middle, top, slope):
    """The height of a mountain over x, a little rough."""
    return top - slope * abs(x - middle) + 1.2 * math.sin(1.7 * x) + 0.8 * math.sin(0.6 * x)


def color(x, height):
    """The color over x, `height` pixels above the shore."""
    if height < 2 + 5 * abs(math.sin(0.9 * x)) * (x % 7 > 1) * (x > 58):
        return TREE
    near = max(peak(x, 24, 33, 1.1), peak(x, 52, 20, 0.8), 3)
    if height < near:
        return SNOW if height > 24 + 2 * math.sin(2.3 * x) else NEAR
    if height < max(peak(x, 70, 22, 0.5), peak(x, 4, 18, 0.4), 5):
        return FAR
    if math.hypot(x - 76, height - 29) < 6:
        return SUN
    return mix(DAWN, NIGHT, height / HEIGHT)


def speck(x, y):
    """Black or white at about every tenth place, else None."""
    noise = (x * 374761393 + y * 668265263) & 0xffffffff
    noise = ((noise ^ noise >> 13) * 1274126177 & 0xffffffff) >> 24
    return None if noise > 25 else (0, 0, 0) if noise & 1 else (255, 255, 255)


def draw(path, specks=False):
    pixels = bytes(part for y in range(HEIGHT) for x in range(WIDTH)
                   for part in specks and speck(x, y) or color(x, HEIGHT - 1 - y))
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({HEIGHT}, {WIDTH}, 3), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + pixels)


def read(path):
    """The height, the width and the bytes of a picture."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:8] != b"\x93NUMPY\x01\x00":
        sys.exit(f"picture.py: {path} is no .npy file of version 1.0")
    start = 10 + struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:start].decode())
    shape = header["shape"]
    if header["descr"] != "|u1" or header["fortran_order"] or len(shape) != 3 or shape[2] != 3:
        sys.exit(f"picture.py: {path} is {header['descr']} {list(shape)}, but a picture is uint8 [height, width, 3]")
    return shape[0], shape[1], content[start:]


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
    if sys.argv[1:2] == ["draw"] and len(sys.argv) == 3:
        draw(sys.argv[2])
    elif sys.argv[1:2] == ["draw-with-specks"] and len(sys.argv) == 3:
        draw(sys.argv[2], specks=True)
    elif sys.argv[1:2] == ["view"] and len(sys.argv) == 4:
        view(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__.split("\n\n")[1])
