#!/usr/bin/env python3
"""bench/table.py: reads Google Benchmark's CSV of many repetitions from stdin and prints one line per benchmark.

It prints minimum, lower quartile and median, because on a shared machine the median depends as much on other processes
as on the code. Benchmarks with their own counter (such as ns/node) use its unit, others show time and throughput.
"""
# SPDX-License-Identifier: Apache-2.0
import csv
import statistics
import sys

TIME_COLUMNS = ("name", "iterations", "real_time", "cpu_time", "time_unit", "bytes_per_second", "items_per_second",
                "label", "error_occurred", "error_message")
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def scaled(seconds):
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds / 1e-9:.2f} ns"


def quartiles(values):
    values = sorted(values)
    return values[0], values[len(values) // 4], statistics.median(values)


def rate(row):
    """The counter "time per thing" of a row, in seconds, and the thing's name; otherwise the time of an iteration."""
    for name, text in row.items():
        if name and name.startswith("ns/") and text:
            return float(text) * 1e-9, "/" + name[3:]
    return float(row["real_time"]) * SECONDS[row["time_unit"]], ""


def main():
    lines = list(sys.stdin)
    start = next((i for i, line in enumerate(lines) if line.startswith("name,")), None)
    if start is None:
        sys.exit("table.py: no benchmark ran")
    runs = {}
    for row in csv.DictReader(lines[start:]):
        runs.setdefault(row["name"], []).append(row)
    print(f"{'':44} {'least':>12} {'quartile':>12} {'median':>12}")
    for name, rows in sorted(runs.items()):
        if rows[0]["error_occurred"] == "true":
            print(f"{name:44} failed: {rows[0]['error_message']}")
            continue
        per = rate(rows[0])[1]
        cells = [scaled(value) + per for value in quartiles([rate(row)[0] for row in rows])]
        extra = [f"{float(text):.4g} {column}" for column, text in rows[0].items()
                 if column and column not in TIME_COLUMNS and not column.startswith("ns/") and text]
        if rows[0]["bytes_per_second"]:
            extra.append(f"{max(float(row['bytes_per_second']) for row in rows) / 1e9:.2f} GB/s")
        print(f"{name:44} {cells[0]:>12} {cells[1]:>12} {cells[2]:>12}  {'  '.join(extra)}".rstrip())


main()
