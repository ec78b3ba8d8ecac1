"""Tables of a batch: manifests in Parquet, and all results in one file of Parquet or Zarr, by these formats' libraries."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np

from opsrun._worker import optional_module
from opsrun.errors import FailedPreconditionError


_ITEMS_PER_CHUNK = 1000


def last_records(out: str) -> dict[str, dict[str, Any]]:
    """The last record of each item, in the order in which they first ended."""
    records: dict[str, dict[str, Any]] = {}
    paths = [os.path.join(out, name) for name in sorted(os.listdir(out), key=lambda name: (len(name), name))
             if re.fullmatch(r"journal(-\d+-of-\d+)?\.jsonl", name)]
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError):
                    continue  # a line that a killed program has left incomplete
                if not isinstance(record, dict) or not isinstance(record.get("id"), str) or record.get("status") in (None, "unchanged"):
                    continue
                before = records.get(record["id"])
                if before is None or _time(record) >= _time(before):
                    records[record["id"]] = record
    return records


def _time(record: dict[str, Any]) -> float:
    at = record.get("at")
    return float(at) if isinstance(at, (int, float)) else 0


def file_of(id_: str, out: str) -> str:
    """The file of an item's results; only one of the two exists."""
    path = os.path.join(out, id_)
    return path + (".npy" if os.path.exists(path + ".npy") else ".npz")


def check_name(path: str) -> None:
    """Raises an exception if a table cannot be written there."""
    ending = os.path.splitext(path)[1]
    if ending not in (".parquet", ".zarr"):
        raise ValueError(f"'{path}' does not end in .parquet or .zarr")
    optional_module("pyarrow" if ending == ".parquet" else "zarr", "tables")


def read_parquet(path: str, feeds: set[str]) -> Iterator[dict[str, Any]]:
    """The rows of a manifest. feeds: those whose texts are paths, which are relative to the file."""
    parquet = optional_module("pyarrow.parquet", "tables")
    folder = os.path.dirname(path)
    for part in parquet.ParquetFile(path).iter_batches():
        for row in part.to_pylist():
            yield {name: os.path.join(folder, value) if name in feeds and isinstance(value, str) else value
                   for name, value in row.items() if value is not None}


def write_table(path: str, out: str) -> None:
    """Writes the results of all items that the journal has as ok, in the order of their ids, completely or not at all."""
    ids = sorted(id_ for id_, record in last_records(out).items() if record["status"] == "ok")
    fresh = os.path.join(os.path.dirname(os.path.abspath(path)), f".{os.path.basename(path)}.{os.getpid()}")
    before = fresh + ".before"
    try:
        (_write_parquet if path.endswith(".parquet") else _write_zarr)(fresh, ids, out)
        if os.path.isdir(path):  # which a rename does not replace
            os.rename(path, before)
        os.replace(fresh, path)
    finally:
        for each in (fresh, before):
            if os.path.isdir(each):
                shutil.rmtree(each)
            elif os.path.exists(each):
                os.unlink(each)


def _results(id_: str, out: str) -> dict[str, Any]:
    path = file_of(id_, out)
    if path.endswith(".npy"):
        return {"result": np.load(path)}
    with np.load(path) as archive:
        if "id" in archive.files:
            raise ValueError("a table cannot hold an output called 'id', which is the name of the ids")
        return {name: archive[name] for name in archive.files}


def _write_parquet(path: str, ids: list[str], out: str) -> None:
    """A column "id", and one for each output: numbers, or lists, nested once for each dimension."""
    pyarrow, parquet = optional_module("pyarrow", "tables"), optional_module("pyarrow.parquet", "tables")
    writer = None
    try:
        for begin in range(0, max(len(ids), 1), 1000):
            rows = [{"id": id_, **{name: array.tolist() for name, array in _results(id_, out).items()}} for id_ in ids[begin:begin + 1000]]
            table = pyarrow.Table.from_pylist(rows, schema=writer.schema if writer else _schema(ids, out))
            writer = writer or parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _schema(ids: list[str], out: str) -> Any:
    pyarrow = optional_module("pyarrow", "tables")
    fields = [("id", pyarrow.string())]
    for name, array in _results(ids[0], out).items() if ids else ():
        kind = pyarrow.string() if array.dtype.kind == "U" else pyarrow.from_numpy_dtype(array.dtype)
        for _ in array.shape:
            kind = pyarrow.list_(kind)
        fields.append((name, kind))
    return pyarrow.schema(fields)


def _write_zarr(path: str, ids: list[str], out: str) -> None:
    """A group with an array for each output, with a dimension for the items in front, and their ids as the attribute "id"."""
    group = optional_module("zarr", "tables").open_group(path, mode="w")
    arrays: dict[str, Any] = {}
    for begin in range(0, len(ids), _ITEMS_PER_CHUNK):
        rows = [_results(id_, out) for id_ in ids[begin:begin + _ITEMS_PER_CHUNK]]
        for name, first in rows[0].items():
            if name not in arrays:
                arrays[name] = group.create_array(name, shape=(len(ids), *first.shape), dtype=first.dtype,
                                                  chunks=(min(len(ids), _ITEMS_PER_CHUNK), *(max(size, 1) for size in first.shape)))
            for i, row in enumerate(rows):
                if row[name].shape != arrays[name].shape[1:]:
                    raise FailedPreconditionError(
                        f"output '{name}' has shape {list(row[name].shape)} for item '{ids[begin + i]}', but {list(arrays[name].shape[1:])} "
                        "for others: an array of Zarr has one shape; use .parquet")
            arrays[name][begin:begin + len(rows)] = np.stack([row[name] for row in rows])
    group.attrs["id"] = ids
