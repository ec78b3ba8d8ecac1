"""bench/peers/report.py: what bench/run_peers.py found, as a table and as a picture.

The data, bench/results/peers.json: {"machine": words, "settings": [words], "peers": {peer: version, or {"missing": why}},
"rows": {row: {"turns": N, "peers": {peer: {"median": x, "least": x, "way": words} or {"error": why}}}}}. Times are in
seconds, memory in bytes.

SPDX-License-Identifier: Apache-2.0
"""

import json
import math

from cases import CASES, PARTS, PEERS

UNITS = {"time": (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)), "bytes": (("MiB", 2.0**20),)}
OTHERS = [peer for peer in PEERS if peer != "opsrun"]
TITLE, WIDE = 34, 16  # columns of the table


def stored(data):
    """The data as the text of its file: a line for each row."""
    head = {key: value for key, value in data.items() if key != "rows"}
    rows = ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in data["rows"].items())
    return f'{json.dumps(head, indent=1)[:-2]},\n "rows": {{\n{rows}\n}}}}\n'


def measured(data):
    """(case, name of the row, its title, the row) of all rows that there are."""
    for case in CASES:
        for name, title in case.rows():
            if name in data["rows"]:
                yield case, name, title, data["rows"][name]


def times(row):
    """{peer: median} of those that were measured."""
    return {peer: found["median"] for peer, found in row["peers"].items() if "median" in found}


def ratio(row):
    """(the best of the others, how many times as long it takes as opsrun), or None."""
    found = times(row)
    others = {peer: found[peer] for peer in OTHERS if peer in found}
    if not others or "opsrun" not in found:
        return None
    best = min(others, key=others.get)
    return best, others[best] / found["opsrun"]


def unit_of(case, row):
    units = UNITS["bytes" if case.kind == "memory" else "time"]
    least = min(times(row).values(), default=1.0)
    return max((unit for unit in units if least >= unit[1]), key=lambda unit: unit[1], default=units[0])


def number(value):
    return f"{value:.{max(0, 2 - len(str(int(value))))}f}" if value < 10 else f"{value:.0f}"


class Notes:
    """Footnotes: the same words get the same number."""

    def __init__(self):
        self.words = []

    def mark(self, words):
        if words not in self.words:
            self.words.append(words)
        return f"({self.words.index(words) + 1})"


def cell(found, unit, notes):
    if "error" in found:
        return notes.mark(found["error"])
    return f"{number(found['median'] / unit[1])} [{number(found['least'] / unit[1])}]"


def table_line(case, title, row, data, notes):
    unit = unit_of(case, row)
    missing = {peer: {"error": found["missing"]} for peer, found in data["peers"].items() if isinstance(found, dict)}
    cells = [cell({**missing, **row["peers"]}.get(peer, {"error": "not measured"}), unit, notes) for peer in PEERS]
    found = ratio(row)
    best = f"{PEERS[found[0]]} {found[1]:.2f}" if found else "-"
    threads = str(case.threads) if case.part in "bcdfi" else ""
    return f"{title:{TITLE}}{threads:>3} {unit[0]:>4}" + "".join(f"{each:>{WIDE}}" for each in cells) + f"   {best}"


def text(data):
    """The table."""
    versions = [f"{PEERS[peer]} {found}" if isinstance(found, str) else f"no {PEERS[peer]}: {found['missing']}"
                for peer, found in data["peers"].items()]
    lines = ["opsrun and others, measured in turns by bench/run_peers.py: the median of all turns, and the least in brackets.",
             data["machine"], "; ".join(versions), *data["settings"], ""]
    lines.append(f"{'':{TITLE}}{'threads':>8}" + "".join(f"{PEERS[peer]:>{WIDE}}" for peer in PEERS) + "   the best other one")
    notes, part = Notes(), ""
    for case, _, title, row in measured(data):
        if case.part != part:
            part = case.part
            lines += ["", f"{part}. {PARTS[part]}"]
        lines.append(table_line(case, title, row, data, notes))
    lines += ["", "The best other one: the time that it takes, as a multiple of opsrun's. Above 1, opsrun is faster."]
    lines += [f"({i}) {words}" for i, words in enumerate(notes.words, 1)]
    return "\n".join([*(line.rstrip() for line in lines), *turns(data), *ways(data), ""])


def turns(data):
    rows = [(case, row["turns"]) for case, name, _, row in measured(data) if name == case.rows()[0][0]]
    most = max((count for _, count in rows), default=0)
    few = [f"{case.name}: {count}" for case, count in rows if count < min(most, 5)]
    return ["", f"Turns: up to {most}, fewer where they take long" + (f"; less than five: {'; '.join(few)}" if few else "") + "."]


def ways(data):
    """Lines that say how each peer was called, and in how many cases of which parts."""
    lines = ["", "Of several ways to run a graph, a peer has its fastest one, in so many cases:"]
    for peer in OTHERS:
        found = {}
        for case, name, _, row in measured(data):
            way = row["peers"].get(peer, {}).get("way")
            if way and name == case.rows()[0][0]:
                found.setdefault(way, []).append(case.part)
        lines += [f"  {PEERS[peer]}, {way}: " + ", ".join(f"{parts.count(part)} of {part}" for part in sorted(set(parts)))
                  for way, parts in sorted(found.items())]
    return lines


LEFT, RIGHT, LINE, TOP = 300, 40, 21, 84  # of the picture, in pixels
WIDTH = 880
COLORS = {"onnx": ("#0969da", "#58a6ff"), "tensorflow": ("#bc4c00", "#f0883e"), "torch": ("#cf222e", "#ff7b72"),
          "numpy": ("#6e7781", "#8b949e")}


def style():
    light = "".join(f".{peer}{{fill:{colors[0]}}}" for peer, colors in COLORS.items())
    dark = "".join(f".{peer}{{fill:{colors[1]}}}" for peer, colors in COLORS.items())
    return ("<style>.back{fill:#fff}text{fill:#1f2328}.part{font-weight:bold}.grid{stroke:#d0d7de}.one{stroke:#1f2328;stroke-width:2}"
            f"{light}@media (prefers-color-scheme:dark){{.back{{fill:#0d1117}}text{{fill:#e6edf3}}.grid{{stroke:#30363d}}"
            f".one{{stroke:#e6edf3}}{dark}}}</style>")


def mark(peer, x, y):
    """A shape for each peer, so that colors are not needed."""
    if peer == "onnx":
        return f'<circle class="{peer}" cx="{x:.1f}" cy="{y}" r="5"/>'
    if peer == "tensorflow":
        return f'<rect class="{peer}" x="{x - 4.5:.1f}" y="{y - 4.5}" width="9" height="9"/>'
    points = {"torch": ((0, -6), (5.5, 4), (-5.5, 4)), "numpy": ((0, -6), (5, 0), (0, 6), (-5, 0))}[peer]
    return f'<polygon class="{peer}" points="{" ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in points)}"/>'


def words(x, y, text, more=""):
    return f'<text x="{x:.1f}" y="{y}"{more}>{text.replace("&", "&amp;").replace("<", "&lt;")}</text>'


def drawn_rows(data):
    """(case, title, {peer: its time as a multiple of opsrun's}) of each row of the picture."""
    for case, _, title, row in measured(data):
        found = times(row)
        if case.drawn and "opsrun" in found and len(found) > 1:
            several = case.part in "bcdfi"
            title = f"{title}, {case.threads} thread{'s' if case.threads > 1 else ''}" if several else title
            yield case, title, {peer: found[peer] / found["opsrun"] for peer in OTHERS if peer in found}


def picture(data):
    """An SVG: a line for each row, with a mark for each peer, on a logarithmic scale on which opsrun is 1."""
    rows = list(drawn_rows(data))
    ratios = [each for _, _, found in rows for each in found.values()] + [0.5, 2.0]
    low, high = math.floor(math.log2(min(ratios))), math.ceil(math.log2(max(ratios)))
    body, y, part = [], TOP, ""

    def place(times_as_long):
        return LEFT + (math.log2(times_as_long) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    for case, title, found in rows:
        if case.part != part:
            part = case.part
            y += LINE + (8 if body else 0)
            body.append(words(12, y, PARTS[part], ' class="part"'))
        y += LINE
        body.append(words(24, y, title))
        body += [mark(peer, place(each), y - 4) for peer, each in found.items()]
    bottom = y + 12
    grid = []
    for power in range(low, high + 1):
        x = place(2.0**power)
        grid += [f'<path class="{"one" if power == 0 else "grid"}" d="M{x:.1f} {TOP - 6}V{bottom}" fill="none"/>',
                 words(x, TOP - 12, f"{2.0**power:g}", ' text-anchor="middle"')]
    legend = [words(12, 24, "Time or memory, as a multiple of opsrun's. Right of the line at 1, opsrun needs less.", ' class="part"')]
    for i, peer in enumerate(OTHERS):
        legend += [mark(peer, 20 + i * 130, 46), words(30 + i * 130, 50, PEERS[peer])]
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 12}" '
                      f'viewBox="0 0 {WIDTH} {bottom + 12}" font-family="Helvetica,Arial,sans-serif" font-size="13">',
                      style(), '<rect class="back" width="100%" height="100%"/>', *grid, *legend, *body, "</svg>", ""])
