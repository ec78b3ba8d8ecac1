"""changed_file.py: a plugin's file that is replaced while a framework uses it is reported, and the loaded one works on.

usage: changed_file.py ADAPTER PLUGIN     ADAPTER: torch, jax or tf

SPDX-License-Identifier: Apache-2.0
"""

import importlib
import os
import shutil
import sys
import tempfile

adapter = importlib.import_module(f"opsrun.{sys.argv[1]}")
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "zero_out.so")
    shutil.copy(sys.argv[2], file)
    loaded = adapter.load_op_library(file)
    os.utime(file)
    assert adapter.load_op_library(file) is loaded
    os.rename(file, file + ".old")
    shutil.copy(sys.argv[2], file)
    with open(file, "ab") as written:
        written.write(b"changed")
    try:
        adapter.load_op_library(file)
    except Exception as error:  # noqa: BLE001 (each framework has a type of its own)
        assert "it was replaced after it was loaded" in str(error) and "restart the process" in str(error), error
    else:
        sys.exit("the changed file was taken for the loaded one")
    assert callable(loaded.zero_out)
