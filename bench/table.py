#!/usr/bin/env python3
"""bench/table.py: reads Google Benchmark's JSON of many repetitions from stdin and prints one line per benchmark.

It prints minimum, lower quartile and median, because on a shared machine the median depends as much on other processes
as on the code. Benchmarks with their own counter (such as ns/node) use its unit, others show time and throughput.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import statistics
import sys

# What every row may have; all else is a counter of the benchmark's own.
COLUMNS = ("name", "run_name", "run_type", "family_index", "per_family_instance_index", "repetitions", "repetition_index",
           "threads", "iterations", "real_time", "cpu_time", "time_unit", "bytes_per_second", "items_per_second", "label",
           "error_occurred", "error_message")
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
    for name, value in row.items():
        if name.startswith("ns/"):
            return value * 1e-9, "/" + name[3:]
    return row["real_time"] * SECONDS[row["time_unit"]], ""


def main():
    text = sys.stdin.read()
    if not text:
        sys.exit("table.py: no benchmark ran")
    runs = {}
    for row in json.loads(text)["benchmarks"]:
        if row["run_type"] == "iteration":
            runs.setdefault(row["name"], []).append(row)
    print(f"{'':44} {'least':>12} {'quartile':>12} {'median':>12}")
    for name, rows in sorted(runs.items()):
        if rows[0].get("error_occurred"):
            print(f"{name:44} failed: {rows[0]['error_message']}")
            continue
        per = rate(rows[0])[1]
        cells = [scaled(value) + per for value in quartiles([rate(row)[0] for row in rows])]
        extra = [f"{value:.4g} {column}" for column, value in rows[0].items()
                 if column not in COLUMNS and not column.startswith("ns/")]
        if "bytes_per_second" in rows[0]:
            extra.append(f"{max(row['bytes_per_second'] for row in rows) / 1e9:.2f} GB/s")
        print(f"{name:44} {cells[0]:>12} {cells[1]:>12} {cells[2]:>12}  {'  '.join(extra)}".rstrip())


main()
