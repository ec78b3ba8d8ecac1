"""plugin_file.py: files that are no plugins are refused, and so is a plugin's file that is replaced while it is used; and an
adapter that was built with another version of opsrun.

usage: plugin_file.py MODULE PLUGIN SHRINK     MODULE: opsrun, opsrun.torch, opsrun.jax, opsrun.tf or opsrun.onnx
                                               SHRINK: the plugin of examples/one_binary

SPDX-License-Identifier: Apache-2.0
"""

import importlib
import os
import shutil
import sys
import tempfile

from opsrun import _native

built = _native.version
if sys.argv[1] != "opsrun":
    message, name = "", sys.argv[1].replace(".tf", ".tensorflow").replace(".", "-")
    _native.version = "0.0.1"
    # [version]
    try:
        importlib.import_module(sys.argv[1])  # such as opsrun.torch
    except ImportError as error:
        message = str(error)
    expected = (f"{sys.argv[1]} was built with opsrun {built}, but this is 0.0.1: build it again, with pip install "
                f"--no-build-isolation --force-reinstall --no-deps {name}")
    # [/version]
    assert message == expected, message
    _native.version = built
module = importlib.import_module(sys.argv[1])


def load(file, **options):
    """The library of a plugin's file; opsrun.onnx has none, but registers its domain."""
    if sys.argv[1] == "opsrun" and options:
        return module.attach(file, options["attach"])
    if sys.argv[1] != "opsrun.onnx":
        return module.load_op_library(file, **options)
    return module.register(importlib.import_module("onnxruntime").SessionOptions(), file, **options)[0]


def refusal(file, **options):
    """What a file is refused with."""
    try:
        load(file, **options)
    except Exception as error:  # noqa: BLE001 (each framework has a type of its own)
        kinds = ("RuntimeError",) if sys.argv[1] == "opsrun.torch" else ("FailedPreconditionError", "MissingFileError")
        assert type(error).__name__ in kinds, error
        return str(error)
    sys.exit(f"{file} was taken for a plugin")


with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "zero_out.so")
    assert file in refusal(file)
    with open(file, "w") as written:
        written.write("no plugin")
    assert file in refusal(file) and "is refused" in refusal(file)
    shutil.copy(sys.argv[2], file)
    loaded = load(file)
    os.utime(file)
    assert load(file) is loaded
    os.rename(file, file + ".old")
    shutil.copy(sys.argv[2], file)
    with open(file, "ab") as written:
        written.write(b"changed")
    assert "it was replaced after it was loaded" in refusal(file) and "restart the process" in refusal(file)
    assert loaded.OP_LIST == ("ZeroOut",)
    assert sys.argv[1] in ("opsrun.torch", "opsrun.onnx") or [int(each) for each in loaded.zero_out([1, 2])] == [1, 0]

# A file that completes the ops of a plugin and is not beside it.
with tempfile.TemporaryDirectory() as folder:
    file, elsewhere = shutil.copy(sys.argv[3], folder), os.path.join(folder, "elsewhere.yaml")
    assert elsewhere in refusal(file, attach=elsewhere)
    with open(elsewhere, "w") as written:
        written.write("opsrun_ops: 1\nops: {PoolRow: {}}")
    refused = refusal(file, attach=elsewhere)
    assert elsewhere + ":2:7" in refused and "plugin 'shrink' has no op 'PoolRow'" in refused
    with open(elsewhere, "w") as written:
        written.write("opsrun_ops: 1\nops: {PoolRows: {gradient: none}}")
    assert load(file, attach=elsewhere) is load(file, attach=elsewhere) is load(file)
    os.rename(elsewhere, elsewhere + "2")
    assert f"it is open without {elsewhere}2" in refusal(file, attach=elsewhere + "2")
