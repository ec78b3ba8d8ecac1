"""Tables of a batch: manifests in Parquet, and all results in one file of Parquet or Zarr, by these formats' libraries."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import glob
import json
import os
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np

from opsrun._worker import optional_module
from opsrun.errors import FailedPreconditionError


def last_records(out: str) -> dict[str, dict[str, Any]]:
    """The last record of each item, in the order in which they first ended."""
    records: dict[str, dict[str, Any]] = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(out), "journal*.jsonl")), key=len):
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue  # a line that a killed program has left incomplete
                if isinstance(record, dict) and "id" in record:
                    records[record["id"]] = record
    return records


def read_parquet(path: str, feeds: set[str]) -> Iterator[dict[str, Any]]:
    """The rows of a manifest. feeds: those whose texts are paths, which are relative to the file."""
    parquet = optional_module("pyarrow.parquet", "tables")
    folder = os.path.dirname(path)
    for part in parquet.ParquetFile(path).iter_batches():
        for row in part.to_pylist():
            yield {name: os.path.join(folder, value) if name in feeds and isinstance(value, str) else value
                   for name, value in row.items() if value is not None}


def write_table(path: str, out: str) -> None:
    """Writes the results of all items that are ok, in the order of their ids, completely or not at all."""
    ids = sorted(id_ for id_, record in last_records(out).items() if record["status"] == "ok")
    fresh = os.path.join(os.path.dirname(os.path.abspath(path)), f".{os.path.basename(path)}.{os.getpid()}")
    ending = os.path.splitext(path)[1]
    if ending not in (".parquet", ".zarr"):
        raise ValueError(f"'{path}' does not end in .parquet or .zarr")
    try:
        (_write_parquet if ending == ".parquet" else _write_zarr)(fresh, ids, out)
        if os.path.isdir(path) and os.path.isdir(fresh):
            shutil.rmtree(path)
        os.replace(fresh, path)
    finally:
        if os.path.isdir(fresh):
            shutil.rmtree(fresh)
        elif os.path.exists(fresh):
            os.unlink(fresh)


def _results(id_: str, out: str) -> dict[str, Any]:
    path = os.path.join(out, id_)
    if os.path.exists(path + ".npy"):
        return {"result": np.load(path + ".npy")}
    with np.load(path + ".npz") as archive:
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
    for i, id_ in enumerate(ids):
        for name, array in _results(id_, out).items():
            if name not in arrays:
                arrays[name] = group.create_array(name, shape=(len(ids), *array.shape), chunks=(min(len(ids), 1000), *(max(size, 1) for size in array.shape)),
                                                  dtype=array.dtype)
            if arrays[name].shape[1:] != array.shape:
                raise FailedPreconditionError(f"output '{name}' has shape {list(array.shape)} for item '{id_}', but {list(arrays[name].shape[1:])} "
                                              "for others: an array of Zarr has one shape; use .parquet")
            arrays[name][i] = array
    group.attrs["id"] = ids
